"""Questions that few collections of documents answer: what calibration asks to see how strangers score.

None of them is about what the background of the gate tells (`app.core.background`): that would make them too easy
to tell apart.
"""

from __future__ import annotations

OFF_DOMAIN = tuple(
    """\
Which spices belong in a good garam masala?
How long should I let a sourdough starter rest?
Who sang the title song of Goldfinger?
What is the offside rule in ice hockey?
How do I get candle wax off a tablecloth?
When do hedgehogs wake up from hibernation?
How many moons does Neptune have?
Which opera has the aria Nessun dorma?
How do I fold a paper crane?
What does a sommelier do with a decanter?
Why do my sunflowers lean to one side?
How tall was the Colossus of Rhodes?
Which muscles does rowing train?
What is the plot of Wuthering Heights?
How do you pronounce the Welsh double l?
Who won the Tour de France in 1986?
What is a good first telescope for a child?
How often does Halley's comet come back?
Which cheese goes on a Greek salad?
How do I stop a violin bow from slipping?
When did the Vikings reach Greenland?
What do axolotls eat in an aquarium?
How does a sundial show the time in winter?
Which wood is best for a canoe paddle?
What is the difference between a mambo and a rumba?
Who built the temples of Angkor Wat?
How do I descale an espresso machine?
How far can a barn owl hear a mouse?
What colour is the rarest diamond?
Which knot do climbers use to join two ropes?
How many acts does a Noh play have?
Why does popcorn pop?
What was the weather like in Lisbon last weekend?
Who is the best goalkeeper in the world right now?
How do I braid hair in a fishtail?
Which mushrooms grow under birch trees?
What is the lucky number in Chinese tradition?
How do tides differ between spring and neap?
When is the cherry blossom season in Kyoto?
How do I teach a parrot to speak?
Which dinosaur had the longest neck?
What does the tarot card of the Hermit mean?
How do I knit a heel into a sock?
Who directed Seven Samurai?
What is the best bait for trout?
How many keys does a harpsichord have?
Why do onions make people cry?
Which islands belong to the Azores?
How did the Romans heat their baths?
What are the ingredients of a Negroni?
Wie lange muss ein Weihnachtsstollen backen?
Welcher Komponist schrieb die Zauberflöte?
Warum schnurren Katzen im Schlaf?
¿Cuántas cuerdas tiene un charango?
¿Quién pintó el cuadro de las Meninas?
Comment prépare-t-on une bouillabaisse ?
Quel est le plus long fleuve de France ?
Kdo napsal Babičku?
富士山の高さはどのくらいですか？
红烧肉要炖多长时间？""".splitlines()
)
