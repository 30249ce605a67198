package llm

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// vector is a case of testdata/request_key_vectors.json, made with CPython.
type vector struct {
	Name      string `json:"name"`
	Prompt    string `json:"prompt_json"`
	Params    string `json:"params_json"`
	Canonical string `json:"canonical"`
	Key       string `json:"key"`
	SHA256    string `json:"sha256"`
	Error     string `json:"error"`
}

func vectors(t testing.TB) []vector {
	raw, err := os.ReadFile("testdata/request_key_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) != 57 {
		t.Fatalf("%d vectors, want 57", len(file.Vectors))
	}
	return file.Vectors
}

func TestKeysOfPartsAreThoseOfPython(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			k, err := KeyOfParts([]byte(v.Prompt), []byte(v.Params))
			if v.Error != "" {
				if err == nil {
					t.Fatalf("read as %s, Python says %s", k.Canonical, v.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if k.Canonical != v.Canonical {
				t.Errorf("canonical\n got %s\nwant %s", k.Canonical, v.Canonical)
			}
			if got := hex.EncodeToString(k.Digest[:]); k.Short != v.Key || got != v.SHA256 {
				t.Errorf("key %s, digest %s; want %s, %s", k.Short, got, v.Key, v.SHA256)
			}
		})
	}
}

func TestABodyHasTheKeyOfItsPromptAndParams(t *testing.T) {
	tried := 0
	for _, v := range vectors(t) {
		params, isObject := strings.CutPrefix(strings.TrimSpace(v.Params), "{")
		if !isObject || v.Error != "" || strings.Contains(params, `"prompt"`) {
			continue
		}
		tried++
		body := `{"prompt":` + v.Prompt + "," + params
		if strings.TrimSpace(params) == "}" {
			body = `{"prompt":` + v.Prompt + "}"
		}
		if k := KeyOf([]byte(body)); k.Canonical != v.Canonical || k.Short != v.Key {
			t.Errorf("%s:\n got %s\nwant %s", v.Name, k.Canonical, v.Canonical)
		}
	}
	if tried < 30 {
		t.Fatalf("only %d vectors were tried", tried)
	}
}

func TestThePromptIsTheFirstOfItsMembersThatIsPresent(t *testing.T) {
	for _, c := range []struct{ body, canonical string }{
		{`{"contents":1,"prompt":2,"input":3,"messages":4}`, `{"params": {"contents": 1, "input": 3, "prompt": 2}, "prompt": 4}`},
		{`{"contents":1,"prompt":2,"input":3}`, `{"params": {"contents": 1, "prompt": 2}, "prompt": 3}`},
		{`{"contents":1,"prompt":2}`, `{"params": {"contents": 1}, "prompt": 2}`},
		{`{"contents":1,"x":2}`, `{"params": {"x": 2}, "prompt": 1}`},
		{`{"messages":null,"input":1}`, `{"params": {"input": 1}, "prompt": null}`},
		{`{"messages":1,"\u006dessages":2}`, `{"params": {}, "prompt": 2}`},
		{`{"x":2}`, `{"params": {"x": 2}, "prompt": null}`},
		{`[1]`, `{"params": [1], "prompt": null}`},
		{`{` + strings.Repeat(`"b":1,"a":1,`, 100) + `"b":2,"a":3}`, `{"params": {"a": 3, "b": 2}, "prompt": null}`},
	} {
		if k := KeyOf([]byte(c.body)); k.Canonical != c.canonical {
			t.Errorf("%s\n got %s\nwant %s", c.body, k.Canonical, c.canonical)
		}
	}
}

func TestABodyThatPythonCannotReadIsKeyedByItsBytes(t *testing.T) {
	deep := func(n int) string { return `{"x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}" }
	for name, c := range map[string]struct {
		body string
		raw  bool
	}{
		"truncated":             {`{"choi`, true},
		"empty":                 {``, true},
		"byte order mark":       {"\xef\xbb\xbf{}", true},
		"no UTF-8":              {"{\"a\":\"\xff\"}", true},
		"surrogate as UTF-8":    {"{\"a\":\"\xed\xa0\xbd\"}", true},
		"control character":     {"{\"a\":\"\x1f\"}", true},
		"DEL":                   {"{\"a\":\"\x7f\"}", false},
		"trailing comma":        {`{"a":1,}`, true},
		"comma in array":        {`[1,]`, true},
		"vertical tab":          {"{\v}", true},
		"no-break space":        {"{\u00a0}", true},
		"-NaN":                  {`[-NaN]`, true},
		"lone minus":            {`[-]`, true},
		"nan":                   {`[nan]`, true},
		"bare exponent":         {`[1e]`, true},
		"hex":                   {`[0x1]`, true},
		"single quotes":         {`{'a':1}`, true},
		"two values":            {`{} {}`, true},
		"NUL":                   {"{}\x00", true},
		"4300 digits":           {`[-` + strings.Repeat("9", 4300) + `]`, false},
		"4301 digits":           {`[` + strings.Repeat("9", 4301) + `]`, true},
		"float of 5000 digits":  {`[` + strings.Repeat("9", 5000) + `.0]`, false},
		"nested as Python can":  {deep(maxDepth), false},
		"nested deeper":         {deep(maxDepth + 1), true},
		"nested without an end": {strings.Repeat("[", 1_000_000), true},
	} {
		k := KeyOf([]byte(c.body))
		if raw := strings.HasPrefix(k.Canonical, `{"_raw_sha256": "`); raw != c.raw {
			t.Errorf("%s: canonical %.60s, by its bytes: %v, want %v", name, k.Canonical, raw, c.raw)
		}
	}
	const want = `{"_raw_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}`
	if k := KeyOf(nil); k.Canonical != want || k.Short != hex.EncodeToString(k.Digest[:8]) {
		t.Errorf("got %s with key %s", k.Canonical, k.Short)
	}
}

func TestNumbersAreWrittenAsPythonWritesThem(t *testing.T) {
	zeros := strings.Repeat("0", 200_000)
	for in, want := range map[string]string{
		"-0": "0", "-0.0": "-0.0", "0e5": "0.0", "1E5": "100000.0", "1e15": "1000000000000000.0", "1e16": "1e+16",
		"123456789012345678.0": "1.2345678901234568e+17", "0.0001": "0.0001", "0.00001": "1e-05", "1e400": "Infinity",
		"-1e-400": "-0.0", "1e99999999999999999999999": "Infinity", "1e-99999999999999999999999": "0.0",
		"0." + zeros + "1e200001": "1.0", "-1" + zeros + ".5e-200000": "-1.0", "0." + zeros + "e9": "0.0",
		"1" + zeros + "e-99999999999999999999999": "0.0", "0.1" + zeros + "e99999999999999999999": "Infinity",
		// Half way between two floats, but for the last of 9001 digits.
		"9007199254740993." + zeros[:9000] + "0": "9007199254740992.0",
		"9007199254740993." + zeros[:9000] + "1": "9007199254740994.0",
	} {
		got := KeyOf([]byte("[" + in + "]")).Canonical
		if want := `{"params": [` + want + `], "prompt": null}`; got != want {
			t.Errorf("%.40s (%d characters): got %.80s, want %s", in, len(in), got, want)
		}
	}
}

func TestKeyOfPartsSaysWhichPartIsWrong(t *testing.T) {
	_, err := KeyOfParts([]byte(`"x"`), []byte(`{"a":01}`))
	if err == nil || !strings.Contains(err.Error(), "params") || !strings.Contains(err.Error(), "byte 6") {
		t.Errorf("got %v", err)
	}
	if _, err = KeyOfParts(nil, []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "prompt") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsNestedDeeperThanAskedForLeavesNoNode(t *testing.T) {
	var d document
	if err := d.parse([]byte(`{"a":[[1,"x",{"b":2}],3],"c":4}`), 2); err != nil {
		t.Fatal(err)
	}
	if len(d.nodes) != 7 { // the object, two names, two values, two items
		t.Errorf("%d nodes", len(d.nodes))
	}
	if got := d.root().get("c").int(); got != 4 {
		t.Errorf("c is %d", got)
	}
	if got := d.root().get("a").count(); got != 2 {
		t.Errorf("a has %d items", got)
	}
}
