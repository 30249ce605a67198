package tui

import (
	"io"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/store/live"
)

// Present is what is happening now; *live.Board meets it. All methods are
// called often and must not wait for anything.
type Present interface {
	Bell() <-chan struct{}
	Snapshot(live.Query) live.Snapshot
	State(exchange.ID) (exchange.State, bool)
}

// Past is the journal. List and Detail may do I/O and are called in commands,
// from several goroutines; Version must be cheap: it is a number that changes
// whenever a row does.
type Past interface {
	List(exchange.Page) ([]exchange.Entry, error)
	Detail(row int64) (Detail, error)
	Version() uint64
}

// Control carries out commands. The answer is only "refused, because" (an
// *exchange.Refusal); what follows from a command arrives as facts.
type Control interface {
	Kill(exchange.ID) (exchange.Phase, error)
	Retry(row int64, how exchange.Retry) (exchange.Started, error)
	Purge(pattern string) (int, error)
}

// Detail is all that is known of a journal row, with what was asked and
// answered as text for people.
type Detail struct {
	exchange.Dossier
	Messages []exchange.Message
	Answer   string // of the accepted result, else of the newest attempt that said anything
}

// Options say what the dashboard shows and where.
type Options struct {
	Present Present
	Past    Past // nil: there is no journal
	Control Control

	Version     string // of the program
	ProxyURL    string // "http://127.0.0.1:8245": where clients are pointed
	AdminURL    string
	JournalPath string

	Demo     bool
	Try      []string        // lines that say what to try, shown until t hides them
	Notices  func() []string // warnings, newest last; nil: none
	Now      func() time.Time
	NoColor  bool
	QuitAsks bool // q asks while exchanges are live

	Input  io.Reader // nil: the terminal
	Output io.Writer // nil: the terminal
}
