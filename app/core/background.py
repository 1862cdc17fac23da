"""General knowledge to compare with: what a question is as near to as to its candidates, the candidates hardly answer.

Each line tells of something that few corpora tell of. Their words are also the gate's notion of a rare word.
Changing them changes what the gate's weights were fitted with: fit them again (bench/gate.py).
"""

from __future__ import annotations

STATEMENTS = tuple(
    """\
A soft egg needs about five minutes in boiling water, a hard one about ten.
Air scatters blue light more than red light, so the sky looks blue during the day.
Leonardo da Vinci painted the Mona Lisa in Florence at the start of the sixteenth century.
The moon circles the earth at a mean distance of 384,400 kilometres.
Bees collect nectar from flowers and turn it into honey inside the hive.
A football team has eleven players on the pitch, one of whom keeps the goal.
The Second World War ended in 1945, in Europe in May, in the Pacific in September.
Tokyo is the capital of Japan and its largest city.
Blot the stain with a cloth, then pour salt on it and wash it with cold water.
Saturn has the most visible rings, which are made of ice and rock.
In summer a cactus wants water every two weeks, in winter hardly any.
The cheetah is the fastest animal on land and reaches about 110 kilometres an hour.
A vaccine shows the immune system a harmless part of a germ that it learns to fight.
Inflation means that prices rise and that the same money buys less than a year ago.
William Shakespeare wrote the tragedy of Romeo and Juliet around 1595.
Milk is curdled with rennet, the whey is drained, and the curd is salted and left to ripen.
Earthquakes happen when plates of the earth's crust slip past each other along a fault.
Take the wheel out, lever the tyre off the rim, and put a new tube in.
The Nile runs for more than 6,600 kilometres and is the longest river in Africa.
The skeleton of an adult consists of 206 bones.
Cats purr when they feel at ease, and sometimes to calm themselves when they are ill.
The cello sounds an octave below the viola and is close to the human voice.
Cross the wide end over the narrow one, pull it up through the loop and down the knot.
Johannes Gutenberg printed with movable type in Mainz around 1450.
By photosynthesis plants turn light, water and carbon dioxide into sugar and oxygen.
The Pacific is about 4,000 metres deep, and nearly 11,000 in the Mariana Trench.
Oranges are rich in vitamin C and hold some folate as well.
Cut roses back in early spring, just above a bud that faces outwards.
Alexander Fleming found penicillin in 1928, when mould had killed the bacteria in a dish.
A black hole is a region of space whose gravity lets no light escape.
Elephants in the wild live for about sixty years.
In chess each side moves sixteen pieces, and whoever checkmates the other king has won.
Whisk flour, eggs and milk, and fry the batter thinly in butter on both sides.
Mont Blanc is the highest peak of the Alps, Elbrus the highest of Europe.
In autumn trees break down their green, and the red of the leaves shows.
Steam under pressure drives a piston, whose movement a crank turns into rotation.
Neil Armstrong stepped on the moon on 20 July 1969, followed by Buzz Aldrin.
Most people in Brazil speak Portuguese.
Hold a treat above the dog's nose, say the word, and reward it as soon as it sits.
Water freezes at zero degrees Celsius, which is 32 degrees Fahrenheit.
Cool the skin with wet cloths, drink a lot of water, and stay out of the sun.
Jazz grew out of blues and ragtime in New Orleans and lives on improvisation.
A classical guitar has six strings, tuned from low E to high E.
India and China each have more than 1.4 billion inhabitants.
Diamonds form deep in the earth's mantle, where carbon is under great heat and pressure.
On the stock market shares of companies are bought and sold at prices that change all day.
Set young tomato plants deep into warm soil after the last frost and tie them to a stick.
The wall through Berlin was built in August 1961 and fell in November 1989.
The heart pumps blood through the lungs and then through the whole body.
Migrating birds follow the sun, the stars and the magnetic field of the earth.
Sushi is rice with vinegar, served with raw fish, egg or vegetables.
A red kangaroo clears fences of nearly two metres and leaps up to nine metres far.
Ludwig van Beethoven finished his Ninth Symphony in 1824, when he was deaf.
A haiku is a Japanese poem in three lines of five, seven and five syllables.
Grip the tick close to the skin with tweezers and pull it out slowly and straight.
Rivers carry dissolved minerals into the sea, where the salt stays behind when water evaporates.
In air at twenty degrees sound travels at about 343 metres a second.
Rows on the right side are read from right to left, with a symbol for every stitch.
Alexander Graham Bell was granted the patent for the telephone in 1876.
The crocodile has the narrower snout.
Gas in the rising magma expands, until lava and ash break out of the volcano.
Simmer onions, garlic and tomatoes for half an hour, then add cream and blend.
Swallows leave for Africa in September and are back in April.
A fluid evaporates inside the fridge, takes up heat, and gives it off at the back.
The tulip stands for the Netherlands, which ships it everywhere.
Start by floating and breathing out under water, then practise the kick with a board.
Mercury is the only metal that is liquid at room temperature.
Cleopatra was the last queen of Egypt before it became a province of Rome.
From June to August the roads of Iceland are open and the nights are light.
Holding the breath or drinking a glass of water slowly often stops the hiccups.
DNA is short for deoxyribonucleic acid, the molecule that carries our genes.
There are seven continents, of which Asia is the largest and Australia the smallest.
Dreams come mostly in the sleep phase of rapid eye movements; what they are for is disputed.
Draw both sides of the blade over a wet stone at an angle of fifteen degrees.
The largest coral reef on earth lies off the north-east coast of Australia.
Spyridon Louis of Greece won the marathon of 1896 in Athens.
Yeast or sourdough makes the dough rise before the bread is baked.
Connect the plus poles of both batteries, then the minus pole to bare metal.
The tower was finished in Paris for the world fair of 1889.
Giant pandas live almost only on bamboo, of which they eat many kilograms a day.""".splitlines()
)
