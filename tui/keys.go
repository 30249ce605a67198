package tui

import "github.com/charmbracelet/bubbles/key"

// keymap is every key there is. The hint line and the help page are made from
// it, so a key that is not described does not exist.
type keymap struct {
	Up, Down, PageUp, PageDown, Top, Bottom key.Binding
	Next, Prev, Pane1, Pane2, Pane3, Pane4  key.Binding
	Open, Back                              key.Binding
	Kill, Retry, New                        key.Binding
	Filter, Follow, Pause, Try, Help, Quit  key.Binding
	Left, Right                             key.Binding
	Yes, No                                 key.Binding
}

func bind(help, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
}

func newKeymap() keymap {
	return keymap{
		Up:       bind("↑ k", "up", "up", "k"),
		Down:     bind("↓ j", "down", "down", "j"),
		PageUp:   bind("pgup ^b", "page up", "pgup", "ctrl+b", "ctrl+u"),
		PageDown: bind("pgdn ^f", "page down", "pgdown", "ctrl+f", "ctrl+d", " "),
		Top:      bind("g home", "newest, follow", "g", "home"),
		Bottom:   bind("G end", "oldest", "G", "end"),
		Next:     bind("tab", "next pane", "tab"),
		Prev:     bind("shift+tab", "previous pane", "shift+tab"),
		Pane1:    bind("1", "Requests", "1"),
		Pane2:    bind("2", "Streams", "2"),
		Pane3:    bind("3", "Queue", "3"),
		Pane4:    bind("4", "Journal", "4"),
		Open:     bind("enter", "open", "enter"),
		Back:     bind("esc", "back, dismiss", "esc", "backspace"),
		Kill:     bind("x", "kill", "x"),
		Retry:    bind("r", "retry", "r"),
		New:      bind("n", "run as new", "n"),
		Filter:   bind("/", "filter", "/"),
		Follow:   bind("f", "follow", "f"),
		Pause:    bind("p", "pause", "p"),
		Try:      bind("t", "what to try", "t"),
		Help:     bind("?", "help", "?"),
		Quit:     bind("q", "quit", "q", "ctrl+c"),
		Left:     bind("← h", "tab left", "left", "h"),
		Right:    bind("→ l", "tab right", "right", "l"),
		Yes:      bind("y", "yes", "y", "Y"),
		No:       bind("n", "no", "n", "N", "esc", "q"),
	}
}

// chapter is a group of keys on the help page.
type chapter struct {
	title string
	keys  []key.Binding
}

func (k *keymap) chapters() []chapter {
	return []chapter{
		{"Move", []key.Binding{k.Up, k.Down, k.PageUp, k.PageDown, k.Top, k.Bottom, k.Left, k.Right}},
		{"Look", []key.Binding{k.Pane1, k.Pane2, k.Pane3, k.Pane4, k.Next, k.Prev, k.Open, k.Back}},
		{"Act", []key.Binding{k.Kill, k.Retry, k.New, k.Filter, k.Follow, k.Pause, k.Try, k.Quit}},
	}
}
