// SPDX-License-Identifier: Apache-2.0

package client

import (
	wire "encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"dsdoctor.dev/e2e/faults"
)

const protobufType = "application/vnd.kubernetes.protobuf"

type marshaler interface{ Marshal() ([]byte, error) }

// enveloped encodes an object in protobuf as an API server does; more is appended to it.
func enveloped(apiVersion, kind string, object marshaler, more ...byte) []byte {
	raw, err := object.Marshal()
	if err != nil {
		panic(err) // generated code only fails on programming errors
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: append(raw, more...)}
	body, err := unknown.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), body...)
}

// asProtobuf converts the list of a healthy answer to protobuf, for any Accept header; more is
// appended to the list message.
func asProtobuf(edit func(item map[string]any), more ...byte) faults.Answer {
	return func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
		converted := faults.Edited(itemsEdited(edit), func(body []byte) []byte {
			var head metav1.TypeMeta
			mustDecode(body, &head)
			var list marshaler
			switch head.Kind {
			case "NodeList":
				list = &v1.NodeList{}
			case "PodList":
				list = &v1.PodList{}
			case "DaemonSetList":
				list = &appsv1.DaemonSetList{}
			default:
				list = &appsv1.ControllerRevisionList{}
			}
			mustDecode(body, list)
			return enveloped(head.APIVersion, head.Kind, list, more...)
		})
		converted(&typed{w, protobufType}, r, cluster)
	}
}

// typed replaces the content type of an answer.
type typed struct {
	http.ResponseWriter
	mediaType string
}

func (t *typed) WriteHeader(status int) {
	t.Header().Set("Content-Type", t.mediaType)
	t.ResponseWriter.WriteHeader(status)
}

func mustDecode(body []byte, into any) {
	if err := json.Unmarshal(body, into); err != nil {
		panic(err) // our own recordings
	}
}

// unknownField is a length-delimited field of this number, as a newer server may send it.
func unknownField(number uint64) []byte {
	field := wire.AppendUvarint(nil, number<<3|2)
	return append(field, 3, 'n', 'e', 'w')
}

// asksProtobuf checks that a request accepts protobuf as well as JSON.
func asksProtobuf(r faults.Request) error {
	accept := r.Header.Get("Accept")
	if !strings.Contains(accept, protobufType) || !strings.Contains(accept, "application/json") {
		return fmt.Errorf("Accept is %q", accept)
	}
	return nil
}

// itemsEdited is a healthy list with a change of every item.
func itemsEdited(edit func(item map[string]any)) faults.Answer {
	return faults.Edited(faults.Healthy, func(body []byte) []byte {
		var list map[string]any
		mustDecode(body, &list)
		items, _ := list["items"].([]any)
		for _, item := range items {
			if edit != nil {
				edit(item.(map[string]any))
			}
		}
		edited, err := json.Marshal(list)
		if err != nil {
			panic(err)
		}
		return edited
	})
}

// set changes a nested field: set(item, value, "status", "conditions"). A nil value removes it.
func set(item map[string]any, value any, path ...string) {
	for _, name := range path[:len(path)-1] {
		next, ok := item[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			item[name] = next
		}
		item = next
	}
	if last := path[len(path)-1]; value == nil {
		delete(item, last)
	} else {
		item[last] = value
	}
}
