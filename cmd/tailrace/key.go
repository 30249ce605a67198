package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"tailrace/proxy/llm"
)

func keyCommand() *cobra.Command {
	var prompt, params string
	var asJSON bool
	c := &cobra.Command{
		Use:   "key [FILE]",
		Short: "Print the request key of a request body",
		Long: `key prints the request_key of a JSON request body (from FILE, or from standard
input), the whole digest that it is the beginning of, and the canonical string
that was hashed. With --prompt and --params they are given apart.`,
		Args: arguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			k, err := keyOf(c, args, prompt, params)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(struct {
					Key       string `json:"request_key"`
					Digest    string `json:"digest"`
					Canonical string `json:"canonical"`
				}{k.Short, hex.EncodeToString(k.Digest[:]), k.Canonical})
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "request_key %s\ndigest      %x\ncanonical   %s\n", k.Short, k.Digest, k.Canonical)
			return err
		},
	}
	c.Flags().StringVar(&prompt, "prompt", "", "the prompt as `JSON`, with --params")
	c.Flags().StringVar(&params, "params", "", "the parameters as `JSON`, with --prompt (default {})")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func keyOf(c *cobra.Command, args []string, prompt, params string) (llm.Key, error) {
	given := c.Flags().Changed
	switch {
	case given("prompt") && len(args) > 0:
		return llm.Key{}, misuse("--prompt and the file %s exclude each other; give one of them", args[0])
	case given("params") && !given("prompt"):
		return llm.Key{}, misuse("--params has no meaning without --prompt; give both")
	case given("prompt"):
		if !given("params") {
			params = "{}"
		}
		k, err := llm.KeyOfParts([]byte(prompt), []byte(params))
		if err != nil {
			return llm.Key{}, misuse("%w; write it as JSON, a text in double quotes", err)
		}
		return k, nil
	case len(args) > 0:
		body, err := os.ReadFile(args[0])
		if err != nil {
			return llm.Key{}, fmt.Errorf("reading the request body: %w; name a file that can be read", err)
		}
		return llm.KeyOf(body), nil
	}
	body, err := io.ReadAll(c.InOrStdin())
	if err != nil {
		return llm.Key{}, fmt.Errorf("reading the request body from standard input: %w; name a file", err)
	}
	return llm.KeyOf(body), nil
}
