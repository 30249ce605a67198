package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tailrace/cmd/internal/config"
)

// usage is an error of what was asked for, not of doing it: exit code 2.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func misuse(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// run carries out a command line and returns the exit code: 0, 2 for a wrong
// flag or configuration, 1 for any other failure. Errors are printed here and
// nowhere else, a sentence each.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	root := command()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.Execute()
	problems := config.Problems(nil)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &problems):
		fmt.Fprintln(errs, problems) // file:line:column first, for editors
		return 2
	case errors.As(err, &usage{}):
		fmt.Fprintln(errs, "tailrace: "+own(err.Error()))
		return 2
	}
	fmt.Fprintln(errs, "tailrace: "+own(err.Error()))
	return 1
}

func command() *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:   "tailrace [URL]",
		Short: "Watch, kill and resume your LLM streams from the terminal",
		Long: `tailrace stands on 127.0.0.1 between an LLM application and its providers.

Without URL or -c, the path of a request tells the provider: /v1/ is OpenAI's,
/v1/messages Anthropic's, /v1beta/ Gemini's, /api/ Ollama's; each also under a
prefix (/openai, /anthropic, /gemini, /ollama, /openrouter). With URL, that one
upstream gets every path. Point a client at it:

  OPENAI_BASE_URL=http://127.0.0.1:8245/v1
  ANTHROPIC_BASE_URL=http://127.0.0.1:8245`,
		Example: `  tailrace                               the dashboard, all providers
  tailrace http://127.0.0.1:11434        one upstream
  tailrace serve -c tailrace.yaml        no dashboard, a log line per request
  tailrace --to groq=https://api.groq.com/openai/v1`,
		Args:          oneURL,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, args []string) error {
			m, err := f.main(c, args)
			if err != nil {
				return err
			}
			if m.Headless || !isTerminal(c.OutOrStdout()) {
				return serve(c, m)
			}
			return dashboard(c, m)
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return misuse("%w; see %s --help", err, c.CommandPath())
	})
	f.register(root)
	root.AddCommand(serveCommand(), demoCommand(), victimCommand(), mockCommand(), keyCommand(), versionCommand())
	return root
}

// oneURL takes at most one argument. A word that is no URL is more likely a
// command that does not exist.
func oneURL(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return misuse("%d arguments are more than one URL; see %s --help", len(args), c.CommandPath())
	case len(args) == 1 && !strings.ContainsAny(args[0], ":/"):
		return misuse("%q is neither a command nor an upstream URL; see %s --help", args[0], c.CommandPath())
	}
	return nil
}

// arguments takes at most so many.
func arguments(most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > most {
			return misuse("%q is one argument too many; see %s --help", args[most], c.CommandPath())
		}
		return nil
	}
}
