package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"tailrace/cmd/internal/config"
	"tailrace/proxy/fakellm"
)

// defaultMock is taken when it is free; else any other port is.
const defaultMock = "127.0.0.1:8247"

func mockCommand() *cobra.Command {
	var listen string
	var fault fakellm.Fault
	c := &cobra.Command{
		Use:   "mock",
		Short: "Run the fake LLM origin alone",
		Long: `mock answers as OpenAI, Anthropic, Gemini and Ollama would, without a model, and
fails on request: by the flags below for all requests, or for one by its header
X-Fakellm, for example "X-Fakellm: ttft=200ms,pace=20ms,cut=5".`,
		Args: arguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := config.CheckListen(listen); err != nil {
				return misuse("--listen: %w", err)
			}
			ln, err := net.Listen("tcp", listen)
			if err != nil && !c.Flags().Changed("listen") {
				ln, err = net.Listen("tcp", "127.0.0.1:0")
			}
			if err != nil {
				return taken("--listen", listen, err)
			}
			d := departures(c.Context())
			defer d.forget()
			return mock(d.begun, c, ln, fault)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&listen, "listen", defaultMock, "`ADDRESS` of the origin; port 0 picks one")
	for _, m := range fakellm.Members() {
		flag := c.Flags().VarPF(&behaviour{fault: &fault, Member: m}, m.Name, "", m.Help)
		if m.Value == "" {
			flag.NoOptDefVal = "true"
		}
	}
	return c
}

func mock(ctx context.Context, c *cobra.Command, ln net.Listener, fault fakellm.Fault) error {
	origin := fakellm.New(fakellm.Config{Default: fault})
	fmt.Fprintf(c.OutOrStdout(), "tailrace mock ready origin=%s\n", urlOf(ln))
	failed := make(chan error, 1)
	go func() { failed <- origin.Serve(ln) }()
	select {
	case <-ctx.Done():
		err := origin.Close()
		return errors.Join(err, <-failed)
	case err := <-failed:
		return errors.Join(fmt.Errorf("serving the fake origin: %w", err), origin.Close())
	}
}

// behaviour is a flag that sets one member of a fault.
type behaviour struct {
	fakellm.Member
	fault *fakellm.Fault
	value string
}

// Set is called by the flag parser.
func (b *behaviour) Set(s string) error {
	b.value = s
	return b.fault.Set(b.Name, s)
}

// String gives the value as it was written.
func (b *behaviour) String() string { return b.value }

// Type is shown in the help text.
func (b *behaviour) Type() string {
	if b.Value == "" {
		return "bool"
	}
	return b.Value
}
