package config

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// environment is what the files of the tests find there.
func environment(name string) (string, bool) {
	v, ok := map[string]string{
		"TOKEN": "sk-test", "N": "7", "EMPTY": "", "ADDR": "127.0.0.1:9", "TRICKY": "a: 1\n# } ${N}",
	}[name]
	return v, ok
}

func load(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("test.yaml", []byte(text), Options{Env: environment})
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	return c
}
