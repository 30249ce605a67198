package tui

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// edit takes a key into the filter that is being typed. The list follows with
// each key.
func (m *model) edit(k tea.KeyMsg) {
	f := &m.filters[m.pane]
	switch k.Type {
	case tea.KeyEnter:
		m.typing = false
	case tea.KeyEsc, tea.KeyCtrlC:
		m.typing, *f = false, ""
	case tea.KeyBackspace:
		if *f == "" {
			m.typing = false
			return
		}
		_, n := utf8.DecodeLastRuneInString(*f)
		*f = (*f)[:len(*f)-n]
	case tea.KeyCtrlU:
		*f = ""
	case tea.KeyCtrlW:
		cut := strings.TrimRight(*f, " ")
		*f = cut[:strings.LastIndexByte(cut, ' ')+1]
	case tea.KeySpace, tea.KeyRunes:
		if len(*f)+len(k.String()) <= 200 && !k.Alt {
			*f += string(k.Runes)
		}
	}
}

func contains(s, part string) bool { return strings.Contains(s, part) }
