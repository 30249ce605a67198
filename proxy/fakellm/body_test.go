package fakellm

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
)

// The client has the whole answer once the body was asked for more than it has:
// a failing write before that is a client that left, one behind it is not.
func TestAFailingWriteCountsOnlyBeforeTheEnd(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	for _, readToEnd := range []bool{false, true} {
		var l ledger
		b := &body{
			origin: New(Config{}), conn: newConn(server), rec: l.begin("/"),
			script: &pieces{fault: &Fault{}, parts: [][]byte{[]byte("all")}},
		}
		if n, err := b.Read(make([]byte, 10)); n != 3 || err != nil {
			t.Fatal(n, err)
		}
		if readToEnd {
			if _, err := b.Read(make([]byte, 10)); err != io.EOF {
				t.Fatal(err)
			}
		}
		_ = b.CloseWithError(errors.New("broken pipe"))
		if st := l.stats(); st.Open != 0 || (st.Aborted == 0) != readToEnd {
			t.Errorf("read to the end %v: %+v", readToEnd, st)
		}
	}
}

// A small buffer of the reader must not merge, lose or repeat anything.
func TestOneReadIsAtMostOnePiece(t *testing.T) {
	var l ledger
	b := &body{
		origin: New(Config{}), conn: newConn(nil), rec: l.begin("/"),
		script: &pieces{fault: &Fault{}, parts: [][]byte{[]byte("abc"), nil, []byte("de")}, tail: []byte("f")},
	}
	var got []string
	buf := make([]byte, 2)
	for {
		n, err := b.Read(buf)
		if err == io.EOF {
			break
		}
		got = append(got, string(buf[:n]))
	}
	if want := "[ab c de f]"; want != fmt.Sprint(got) {
		t.Errorf("got %v", got)
	}
}
