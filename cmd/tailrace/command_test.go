package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// call runs a command line in this process.
func call(stdin string, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, strings.NewReader(stdin), &o, &e)
	return code, o.String(), e.String()
}

// A mistake is one sentence, says what to do, and changes nothing.
func TestAWrongCommandLineIsOneSentenceAndExitCode2(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("listen: { htpp: x }\nroutes: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	for _, tt := range []struct {
		args []string
		want string // in the sentence
	}{
		{[]string{"--no-such-flag"}, "unknown flag: --no-such-flag; see tailrace --help"},
		{[]string{"serve", "--listen"}, "flag needs an argument"},
		{[]string{"servee"}, `"servee" is neither a command nor an upstream URL`},
		{[]string{"http://a", "http://b"}, "more than one URL"},
		{[]string{"ftp://a"}, "is no upstream"},
		{[]string{"http://user:pw@a"}, "carries no credential"},
		{[]string{"-c", broken, "http://a"}, "exclude each other"},
		{[]string{"-c", broken + ".none"}, "no such file"},
		{[]string{"--listen", "0.0.0.0:8245"}, "not a loopback address"},
		{[]string{"--listen", ":8245"}, "not a loopback address"},
		{[]string{"--listen", "8245"}, "write host:port"},
		{[]string{"--admin", "192.168.1.1:1"}, "--admin"},
		{[]string{"--listen", "127.0.0.1:8246"}, "give --admin a port of its own"},
		{[]string{"--billing", "cheap"}, "write free or paid"},
		{[]string{"--log-format", "xml"}, "write text or json"},
		{[]string{"--to", "x"}, "write NAME=URL"},
		{[]string{"--to", "openai=http://a"}, "has a meaning already"},
		{[]string{"--to", "x=http://a", "--to", "x=http://b"}, "each name once"},
		{[]string{"--allow-origin", "null"}, "is no origin"},
		{[]string{"--allow-host", "http://a"}, "is no host name"},
		{[]string{"--ephemeral", "--state", state}, "give one of them"},
		{[]string{"mock", "--cut=x"}, "cut"},
		{[]string{"mock", "--listen", "0.0.0.0:0"}, "not a loopback address"},
		{[]string{"key", "--params", "{}"}, "give both"},
		{[]string{"key", "--prompt", "nope"}, "prompt"},
		{[]string{"key", "--prompt", "1", "file"}, "exclude each other"},
		{[]string{"key", "a", "b"}, ""},
		{[]string{"version", "x"}, ""},
	} {
		code, out, errs := call("", tt.args...)
		if code != 2 || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "tailrace: ") {
			t.Errorf("%q: code %d, out %q, errors %q", tt.args, code, out, errs)
		}
	}
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Errorf("a state directory was made: %v", err)
	}
}

func TestABrokenConfigurationIsToldWithPlacesAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(file, []byte("listen: { htpp: x }\nroutes: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call("", "serve", "-c", file)
	want := regexp.MustCompile(`^` + regexp.QuoteMeta(file) + `:1:1: .*\n` + regexp.QuoteMeta(file) + `:1:11: unknown key "htpp" in listen; did you mean "http"\?\n` + regexp.QuoteMeta(file) + `:2:9: .*\n$`)
	if code != 2 || out != "" || !want.MatchString(errs) {
		t.Errorf("code %d, out %q, errors\n%s", code, out, errs)
	}
}

func TestWhatThisMachineDoesNotAllowIsOneSentenceAndExitCode1(t *testing.T) {
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := begin(t, "http://127.0.0.1:1", filepath.Join(dir, "other"))
	defer other.end()
	addr := used.Addr().String()
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"proxy port":     {[]string{"--listen", addr, "--admin", "127.0.0.1:0", "--state", filepath.Join(dir, "new", "a")}, addr + " is in use by another program; stop it, or choose another with --listen"},
		"admin port":     {[]string{"--listen", "127.0.0.1:0", "--admin", addr, "--state", filepath.Join(dir, "b")}, "choose another with --admin"},
		"demo port":      {[]string{"--listen", addr, "--admin", "127.0.0.1:0", "--headless", "--state", filepath.Join(dir, "new", "c")}, "choose another with --listen"},
		"state in file":  {[]string{"--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", filepath.Join(file, "c")}, "name one that you can write with --state"},
		"state is file":  {[]string{"--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", file}, "--state"},
		"second process": {[]string{"--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--state", other.state.dir}, "another tailrace (process "},
		"mock port":      {[]string{"--listen", addr}, "is in use"},
		"no such file":   {[]string{filepath.Join(dir, "none.json")}, "no such file"},
	} {
		command := "serve"
		switch name {
		case "demo port":
			command = "demo"
		case "mock port":
			command = "mock"
		case "no such file":
			command = "key"
		}
		code, out, errs := call("", append([]string{command}, tt.args...)...)
		if code != 1 || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: code %d, out %q, errors %q", name, code, out, errs)
		}
	}
	for _, name := range []string{"a", "b", "new"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("a start that failed has left its state directory %s: %v", name, err)
		}
	}
	if _, err := os.Stat(other.state.path(instanceFile)); err != nil {
		t.Errorf("the second process has damaged the first: %v", err)
	}
	if code := other.api("GET", "/v1/queue", "", &struct{}{}); code != 200 {
		t.Errorf("the first process answers %d", code)
	}
}

func TestKeyPrintsTheKeyItsDigestAndWhatWasHashed(t *testing.T) {
	body := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(body, []byte(`{"model":"m","prompt":"é"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// The key is what Python's json.dumps and hashlib give for it.
	want := regexp.MustCompile(`^request_key 09a6201d1beeff50\ndigest      09a6201d1beeff50[0-9a-f]{48}\n` +
		`canonical   \{"params": \{"model": "m"\}, "prompt": "\\u00e9"\}\n$`)
	for name, got := range map[string]func() (int, string, string){
		"stdin": func() (int, string, string) { return call(`{"prompt":"é","model":"m"}`, "key") },
		"file":  func() (int, string, string) { return call("", "key", body) },
		"parts": func() (int, string, string) { return call("", "key", "--prompt", `"é"`, "--params", `{"model":"m"}`) },
	} {
		code, out, errs := got()
		if code != 0 || errs != "" || !want.MatchString(out) {
			t.Errorf("%s: %d %q %q", name, code, out, errs)
		}
	}
	code, out, _ := call(`{"prompt":"é","model":"m"}`, "key", "--json")
	if code != 0 || !strings.HasPrefix(out, `{"request_key":"09a6201d1beeff50","digest":"`) || strings.Count(out, "\n") != 1 {
		t.Errorf("%d %q", code, out)
	}
}

func TestVersionAndHelpSayWhatThereIs(t *testing.T) {
	if code, out, _ := call("", "version"); code != 0 || !regexp.MustCompile(`^tailrace \S+ go1\.\S+ \w+/\w+\n$`).MatchString(out) {
		t.Errorf("%d %q", code, out)
	}
	code, out, errs := call("", "--help")
	for _, want := range []string{"serve", "mock", "key", "version", "--listen", "--admin", "--state", "--billing", "--headless", "--allow-origin", "--allow-host", "--to", "--ephemeral", "--log-format", "--config"} {
		if code != 0 || errs != "" || !strings.Contains(out, want) {
			t.Errorf("--help says nothing of %s:\n%s%s", want, out, errs)
		}
	}
}
