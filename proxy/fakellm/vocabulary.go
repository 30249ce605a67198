package fakellm

// What the origin talks about. A tailrace is the channel that carries the water
// away from a turbine. All of it is ASCII without quotes, so that the text
// stands in JSON as it is.

var openings = []string{
	"On {topic}, the river has a view of its own.",
	"Let us look at {topic} from the water's edge.",
	"{topic}, as seen from the weir, is mostly a matter of patience.",
	"Where {topic} is concerned, begin upstream.",
	"There is a calm way to think about {topic}.",
	"The miller would have said this about {topic}.",
}

var sentences = []string{
	"The {adj} river {verb} past the {place} and asks for nothing.",
	"Above the {place} the water waits, and below it the water {verb} on.",
	"A turbine takes the weight of the {adj} water and gives it back as light.",
	"Once the wheel has turned, the tailrace carries the {adj} water home.",
	"Every {thing} that enters the {place} leaves it a little slower.",
	"In the {season} the {thing} rises and the {place} grows loud.",
	"What falls from the {place} becomes a {adj} hum in the wires.",
	"Count the gates, open one, and let the {adj} current decide the rest.",
	"The keeper reads the gauge at the {place} and writes down a {adj} number.",
	"A {thing} drifts by, turns twice in the eddy, and {verb} toward the sea.",
	"Nothing is lost in the {place}; it only changes its pace.",
	"The {season} flood was {adj}, and the {place} held.",
	"Two streams meet below the {place} and neither asks which was first.",
	"Slow water remembers the {thing}; fast water remembers the {place}.",
	"Behind the {place} the lake is {adj}, and the sky lies in it twice.",
	"Listen at the {place} after dark: the {adj} turbines sing one low note.",
	"A heron stands by the {place} as if it had been appointed there.",
	"When the screen is clear of leaves, the {adj} flow {verb} again.",
	"The {thing} you cannot stop, you may still measure.",
	"Half the art is the {place}, the other half is letting go.",
	"By the {season} the channel is {adj}, and the work {verb} by itself.",
	"From the {place} to the sea it is one {adj} sentence.",
}

var slots = map[string][]string{
	"{adj}":    {"quiet", "patient", "silver", "broad", "cold", "bright", "steady", "green", "deep", "gentle", "restless", "clear"},
	"{place}":  {"weir", "sluice", "penstock", "spillway", "millpond", "tailrace", "forebay", "headgate", "footbridge", "canal", "dam"},
	"{thing}":  {"leaf", "raindrop", "ripple", "snowmelt", "tide", "feather", "branch", "current", "wave", "spark"},
	"{season}": {"spring", "summer", "autumn", "winter", "morning", "evening"},
	"{verb}":   {"flows", "wanders", "hurries", "turns", "slips", "winds", "runs", "glides"},
}

// common words make no topic.
var common = map[string]bool{
	"about": true, "please": true, "with": true, "that": true, "this": true, "what": true, "when": true,
	"where": true, "which": true, "from": true, "into": true, "have": true, "tell": true, "explain": true,
	"write": true, "give": true, "make": true, "could": true, "would": true, "should": true, "there": true,
	"their": true, "them": true, "then": true, "than": true, "your": true, "some": true, "does": true,
	"words": true, "sentence": true, "sentences": true, "short": true, "briefly": true, "answer": true,
}
