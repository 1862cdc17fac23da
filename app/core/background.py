"""General knowledge to compare with: what a question is as near to as to its candidates, the candidates hardly answer.

Each line is a question that few corpora answer, and a statement that answers it. The statements are the background
of the gate, their words its notion of a rare word; the questions are the off-domain ones of calibration.
Changing them changes what the gate's weights were fitted with: fit them again (bench/gate.py).
"""

from __future__ import annotations

PAIRS = tuple(
    tuple(line.split(" | "))
    for line in """\
How long does it take to boil an egg? | A soft egg needs about five minutes in boiling water, a hard one about ten.
Why is the sky blue? | Air scatters blue light more than red light, so the sky looks blue during the day.
Who painted the Mona Lisa? | Leonardo da Vinci painted the Mona Lisa in Florence at the start of the sixteenth century.
How far is the moon from the earth? | The moon circles the earth at a mean distance of 384,400 kilometres.
What do bees make honey from? | Bees collect nectar from flowers and turn it into honey inside the hive.
How many players are in a football team? | A football team has eleven players on the pitch, one of whom keeps the goal.
When did the Second World War end? | The Second World War ended in 1945, in Europe in May, in the Pacific in September.
What is the capital of Japan? | Tokyo is the capital of Japan and its largest city.
How do I get red wine out of a carpet? | Blot the stain with a cloth, then pour salt on it and wash it with cold water.
Which planet has the most rings? | Saturn has the most visible rings, which are made of ice and rock.
How often should I water a cactus? | In summer a cactus wants water every two weeks, in winter hardly any.
What is the fastest land animal? | The cheetah is the fastest animal on land and reaches about 110 kilometres an hour.
How do vaccines work? | A vaccine shows the immune system a harmless part of a germ that it learns to fight.
What is inflation? | Inflation means that prices rise and that the same money buys less than a year ago.
Who wrote Romeo and Juliet? | William Shakespeare wrote the tragedy of Romeo and Juliet around 1595.
How is cheese made? | Milk is curdled with rennet, the whey is drained, and the curd is salted and left to ripen.
What causes earthquakes? | Earthquakes happen when plates of the earth's crust slip past each other along a fault.
How do I change a flat bicycle tyre? | Take the wheel out, lever the tyre off the rim, and put a new tube in.
What is the longest river in Africa? | The Nile runs for more than 6,600 kilometres and is the longest river in Africa.
How many bones does an adult have? | The skeleton of an adult consists of 206 bones.
Why do cats purr? | Cats purr when they feel at ease, and sometimes to calm themselves when they are ill.
What does a cello sound like? | The cello sounds an octave below the viola and is close to the human voice.
How do I tie a tie? | Cross the wide end over the narrow one, pull it up through the loop and down the knot.
When was the printing press invented? | Johannes Gutenberg printed with movable type in Mainz around 1450.
What is photosynthesis? | By photosynthesis plants turn light, water and carbon dioxide into sugar and oxygen.
How deep is the Pacific Ocean? | The Pacific is about 4,000 metres deep, and nearly 11,000 in the Mariana Trench.
Which vitamins are in an orange? | Oranges are rich in vitamin C and hold some folate as well.
How do I prune roses? | Cut roses back in early spring, just above a bud that faces outwards.
Who discovered penicillin? | Alexander Fleming found penicillin in 1928, when mould had killed the bacteria in a dish.
What is a black hole? | A black hole is a region of space whose gravity lets no light escape.
How long do elephants live? | Elephants in the wild live for about sixty years.
What are the rules of chess? | In chess each side moves sixteen pieces, and whoever checkmates the other king has won.
How do I make pancakes? | Whisk flour, eggs and milk, and fry the batter thinly in butter on both sides.
What is the tallest mountain in Europe? | Mont Blanc is the highest peak of the Alps, Elbrus the highest of Europe.
Why do leaves change colour in autumn? | In autumn trees break down their green, and the red of the leaves shows.
How does a steam engine work? | Steam under pressure drives a piston, whose movement a crank turns into rotation.
Who was the first person on the moon? | Neil Armstrong stepped on the moon on 20 July 1969, followed by Buzz Aldrin.
What language is spoken in Brazil? | Most people in Brazil speak Portuguese.
How do I teach a dog to sit? | Hold a treat above the dog's nose, say the word, and reward it as soon as it sits.
What is the freezing point of water? | Water freezes at zero degrees Celsius, which is 32 degrees Fahrenheit.
How do I treat a sunburn? | Cool the skin with wet cloths, drink a lot of water, and stay out of the sun.
What is jazz? | Jazz grew out of blues and ragtime in New Orleans and lives on improvisation.
How many strings does a guitar have? | A classical guitar has six strings, tuned from low E to high E.
Which country has the largest population? | India and China each have more than 1.4 billion inhabitants.
How are diamonds formed? | Diamonds form deep in the earth's mantle, where carbon is under great heat and pressure.
What is the stock market? | On the stock market shares of companies are bought and sold at prices that change all day.
How do I plant tomatoes? | Set young tomato plants deep into warm soil after the last frost and tie them to a stick.
When was the Berlin Wall built? | The wall through Berlin was built in August 1961 and fell in November 1989.
What does the heart do? | The heart pumps blood through the lungs and then through the whole body.
How do birds find their way? | Migrating birds follow the sun, the stars and the magnetic field of the earth.
What is sushi made of? | Sushi is rice with vinegar, served with raw fish, egg or vegetables.
How high can a kangaroo jump? | A red kangaroo clears fences of nearly two metres and leaps up to nine metres far.
Who composed the Ninth Symphony? | Ludwig van Beethoven finished his Ninth Symphony in 1824, when he was deaf.
What is a haiku? | A haiku is a Japanese poem in three lines of five, seven and five syllables.
How do I remove a tick? | Grip the tick close to the skin with tweezers and pull it out slowly and straight.
Why is the sea salty? | Rivers carry dissolved minerals into the sea, where the salt stays behind when water evaporates.
What is the speed of sound? | In air at twenty degrees sound travels at about 343 metres a second.
How do I read a knitting pattern? | Rows on the right side are read from right to left, with a symbol for every stitch.
Who invented the telephone? | Alexander Graham Bell was granted the patent for the telephone in 1876.
What is the difference between a crocodile and an alligator? | The crocodile has the narrower snout.
How do volcanoes erupt? | Gas in the rising magma expands, until lava and ash break out of the volcano.
What is a good recipe for tomato soup? | Simmer onions, garlic and tomatoes for half an hour, then add cream and blend.
When do swallows fly south? | Swallows leave for Africa in September and are back in April.
How does a fridge keep food cold? | A fluid evaporates inside the fridge, takes up heat, and gives it off at the back.
What is the national flower of the Netherlands? | The tulip stands for the Netherlands, which ships it everywhere.
How do I learn to swim? | Start by floating and breathing out under water, then practise the kick with a board.
Which metal is liquid at room temperature? | Mercury is the only metal that is liquid at room temperature.
Who was Cleopatra? | Cleopatra was the last queen of Egypt before it became a province of Rome.
What is the best time to visit Iceland? | From June to August the roads of Iceland are open and the nights are light.
How do I get rid of hiccups? | Holding the breath or drinking a glass of water slowly often stops the hiccups.
What does DNA stand for? | DNA is short for deoxyribonucleic acid, the molecule that carries our genes.
How many continents are there? | There are seven continents, of which Asia is the largest and Australia the smallest.
Why do we dream? | Dreams come mostly in the sleep phase of rapid eye movements; what they are for is disputed.
How do I sharpen a kitchen knife? | Draw both sides of the blade over a wet stone at an angle of fifteen degrees.
What is the Great Barrier Reef? | The largest coral reef on earth lies off the north-east coast of Australia.
Who won the first modern Olympic marathon? | Spyridon Louis of Greece won the marathon of 1896 in Athens.
What is bread leavened with? | Yeast or sourdough makes the dough rise before the bread is baked.
How do I jump-start a car? | Connect the plus poles of both batteries, then the minus pole to bare metal.
When was the Eiffel Tower built? | The tower was finished in Paris for the world fair of 1889.
What do pandas eat? | Giant pandas live almost only on bamboo, of which they eat many kilograms a day.""".splitlines()
)
QUESTIONS = tuple(question for question, _ in PAIRS)
STATEMENTS = tuple(statement for _, statement in PAIRS)
