// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

const root = "io.k8s.api.apps.v1.DaemonSet"

// schema is the part of a definition that the table needs.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Items                *schema
	Properties           map[string]*schema
	AdditionalProperties *schema
}

type definitions map[string]*schema

// tableOf returns a line for each type that a DaemonSet contains, DaemonSet first: its name, and
// its fields as NAME (a scalar), NAME=TYPE, NAME=[]TYPE, NAME=[] (a list of scalars) or NAME={}
// (any keys).
func tableOf(openAPI []byte, release string) (string, error) {
	var document struct{ Definitions definitions }
	if err := json.Unmarshal(openAPI, &document); err != nil {
		return "", err
	}
	lines := map[string]string{}
	if err := document.Definitions.add(root, lines); err != nil {
		return "", err
	}
	names := []string{}
	for name := range lines {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		if names[i] == root || names[j] == root {
			return names[i] == root
		}
		return shortName(names[i]) < shortName(names[j])
	})
	result := "# Made by e2e/cmd/fields from api/openapi-spec/swagger.json of k8s.io/kubernetes; not to be edited.\n" +
		"release " + release + "\n"
	last := ""
	for _, name := range names {
		if shortName(name) == last {
			return "", fmt.Errorf("two types are called %s", last)
		}
		last = shortName(name)
		result += lines[name] + "\n"
	}
	return result, nil
}

// add adds the line of a type, and those of the types of its fields.
func (d definitions) add(name string, lines map[string]string) error {
	if _, done := lines[name]; done {
		return nil
	}
	lines[name] = ""
	fields := []string{}
	for field := range d[name].Properties {
		fields = append(fields, field)
	}
	sort.Strings(fields)
	words := []string{shortName(name)}
	for _, field := range fields {
		shape, of, err := d.shapeOf(d[name].Properties[field])
		if err != nil {
			return fmt.Errorf("%s.%s: %w", name, field, err)
		}
		if of != "" {
			if err := d.add(of, lines); err != nil {
				return err
			}
		}
		words = append(words, field+shape)
	}
	lines[name] = strings.Join(words, " ")
	return nil
}

// shapeOf returns the notation of a value, and its type if that has fields.
func (d definitions) shapeOf(value *schema) (shape, of string, err error) {
	if value.Ref != "" {
		name := strings.TrimPrefix(value.Ref, "#/definitions/")
		definition, found := d[name]
		switch {
		case !found:
			return "", "", fmt.Errorf("%s is not defined", name)
		case len(definition.Properties) > 0:
			return "=" + shortName(name), name, nil
		case definition.Type == "object":
			return "={}", "", nil
		case definition.Type != "":
			return "", "", nil
		}
		return "", "", fmt.Errorf("%s has neither fields nor a type", name)
	}
	switch value.Type {
	case "string", "boolean", "integer", "number":
		return "", "", nil
	case "object":
		if value.AdditionalProperties == nil {
			return "", "", fmt.Errorf("an object without keys")
		}
		if inner, _, err := d.shapeOf(value.AdditionalProperties); err != nil || inner != "" {
			return "", "", fmt.Errorf("a map of %q (%v), which the table cannot express", inner, err)
		}
		return "={}", "", nil
	case "array":
		inner, of, err := d.shapeOf(value.Items)
		if err == nil && inner != "" && of == "" {
			err = fmt.Errorf("a list of %q, which the table cannot express", inner)
		}
		return "=[]" + strings.TrimPrefix(inner, "="), of, err
	}
	return "", "", fmt.Errorf("the type %q", value.Type)
}

func shortName(name string) string { return name[strings.LastIndex(name, ".")+1:] }
