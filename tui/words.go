package tui

import (
	"strconv"
	"time"

	"tailrace/proxy/exchange"
	"tailrace/tui/cell"
)

// spin is the sign of what is live. Its frame follows the clock in steps of a
// quarter of a second, and the screen is drawn only when something happened:
// it moves while bytes come and creeps, once a second, while they do not.
func spin(now time.Time) string {
	frames := [...]string{"⠋", "⠙", "⠸", "⠴", "⠦", "⠇"}
	return frames[int(now.UnixMilli()/250)%len(frames)]
}

// sign says beside the words how an exchange stands.
func sign(s *exchange.State, now time.Time) (tone, string) {
	if s.Live() {
		if s.Phase == exchange.PhaseQueued {
			return warn, "◦"
		}
		return alive, spin(now)
	}
	switch s.Outcome {
	case exchange.OutcomeCompleted, exchange.OutcomeHit:
		if s.Status >= 400 {
			return statusTone(s.Status), "!"
		}
		return good, "✓"
	case exchange.OutcomeShed, exchange.OutcomeRefused, exchange.OutcomeClientGone:
		return warn, "!"
	}
	return bad, "✗"
}

// stateWord is how an exchange stands in at most 11 cells.
func stateWord(s *exchange.State) (tone, string) {
	if !s.Live() {
		return outcomeTone(s.Outcome), string(s.Outcome)
	}
	switch {
	case s.Phase == exchange.PhaseQueued && s.Place > 0:
		return warn, "queued #" + cell.Count(int64(min(s.Place, 999)))
	case s.Phase == exchange.PhaseQueued:
		return warn, "queued"
	case s.Leader != 0 && s.Phase == exchange.PhaseWaiting:
		return alive, "riding"
	}
	return alive, string(s.Phase)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// counted is plural of a number that may be large, in few cells.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return cell.Count(n) + " " + many
}

// riskWord is a risk in at most 8 cells.
func riskWord(r exchange.Risk) string {
	switch r {
	case exchange.RiskNone:
		return "none"
	case exchange.RiskRefused:
		return "refused"
	case exchange.RiskCharged:
		return "charged?"
	}
	return "paid"
}

func riskWords(r exchange.Risk) string {
	switch r {
	case exchange.RiskNone:
		return "It never left this machine."
	case exchange.RiskRefused:
		return "The provider refused it, which is normally not billed."
	case exchange.RiskCharged:
		return "It may already have been charged; a retry may be charged twice."
	}
	return "Output was received and paid; a retry is charged again."
}

// tokens writes an output count; "~" marks our own estimate.
func tokens(u exchange.Usage) string {
	switch {
	case u.Output == 0:
		return ""
	case u.Exact:
		return cell.Count(int64(u.Output))
	}
	return "~" + cell.Count(int64(u.Output))
}

// rate is output tokens per second since the first one, 0 while unknown.
func rate(s *exchange.State) float64 {
	took := s.LastByte.Sub(s.FirstToken)
	if s.FirstToken.IsZero() || took < 200*time.Millisecond {
		return 0
	}
	return float64(s.Usage.Output) / took.Seconds()
}

// ttft is the time from sending to the first token, or to the head of an
// answer that has none.
func ttft(s *exchange.State) string {
	from := s.SentAt
	if from.IsZero() {
		return ""
	}
	switch {
	case !s.FirstToken.IsZero() && !s.FirstToken.Before(from):
		return cell.Duration(s.FirstToken.Sub(from))
	case !s.HeadAt.IsZero() && !s.Call.Stream() && !s.HeadAt.Before(from):
		return cell.Duration(s.HeadAt.Sub(from))
	}
	return ""
}

// took is how long an exchange has lasted.
func took(s *exchange.State, now time.Time) time.Duration {
	if s.Ended.IsZero() {
		return max(now.Sub(s.Started), 0)
	}
	return s.Ended.Sub(s.Started)
}
