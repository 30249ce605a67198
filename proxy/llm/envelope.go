package llm

import (
	"errors"

	"tailrace/proxy/exchange"
)

// errEnvelope is returned for JSON that is no answer of its API. The words are
// those of the documented journal.
var errEnvelope = errors.New("unexpected envelope")

// CheckEnvelope reports whether a whole body, with the Content-Encoding of its
// head, has the form of an answer to the call: JSON that json.loads reads, an
// object, with the member that its API puts the answer in, of any value. It
// says nothing of what the model says. The text of its error is what the
// journal's INCOMPLETE carries. A call that speaks no dialect has no envelope.
func CheckEnvelope(call *exchange.Call, head *exchange.Head, body []byte) error {
	how := dialectOf(call)
	if how == nil {
		return nil
	}
	data, err := Decode(head.Header, body, decodeLimit)
	if err != nil {
		return err
	}
	var d document
	if err := d.parse(data, 2); err != nil { // an element of an array, and its members
		return err
	}
	root := d.root()
	if root.kind() == array && call.Dialect == exchange.DialectGemini && call.Declared == exchange.DeclaredPath {
		root = root.first() // what Gemini streams without alt=sse
	}
	if root.get(how.member).kind() == absent {
		return errEnvelope
	}
	return nil
}
