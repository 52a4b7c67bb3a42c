package hdfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ajlo/job/object"
)

// client asks the name nodes of one cluster.
type client struct {
	servers []string
	user    string
	http    *http.Client
}

// answerWait is how long a node may take to begin its answer.
const answerWait = 2 * time.Minute

func newClient(servers []string, user string) client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = answerWait
	transport.Proxy = nil // data nodes are asked by the names that they have inside the cluster
	return client{servers, user, &http.Client{Transport: transport, CheckRedirect: asked}}
}

// asked follows a name node to the data node for reads; where to write is asked for, and the bytes are
// sent there.
func asked(r *http.Request, before []*http.Request) error {
	if r.Method != http.MethodGet || len(before) > 2 {
		return http.ErrUseLastResponse
	}
	return nil
}

// failure is what a node says when it does not do something.
type failure struct {
	Status    int    `json:"-"`
	Exception string `json:"exception"`
	Message   string `json:"message"`
}

func (f *failure) Error() string {
	line, _, _ := strings.Cut(f.Message, "\n")
	if f.Status == http.StatusUnauthorized {
		return noKerberos
	}
	if f.Exception == "" {
		return fmt.Sprintf("it answered %d %s", f.Status, line)
	}
	return f.Exception + ": " + line
}

// Unwrap gives the store's own errors, and what may not be done.
func (f *failure) Unwrap() error {
	switch f.Exception {
	case "FileNotFoundException":
		return object.ErrNotFound
	case "FileAlreadyExistsException":
		return object.ErrExists
	case "AccessControlException":
		return fs.ErrPermission
	}
	return nil
}

// isElsewhere reports whether another name node may know better: this one stands by, is starting, or
// was not reached, so that it has done nothing.
func isElsewhere(err error) bool {
	var said *failure
	var lost *net.OpError
	switch {
	case errors.As(err, &said):
		return said.Exception == "StandbyException" || said.Exception == "RetriableException"
	case errors.As(err, &lost):
		return lost.Op == "dial"
	}
	return false
}

// call asks the active name node; path begins with a slash. The answer is to be closed.
func (c client) call(ctx context.Context, method, path string, query url.Values) (answer *http.Response, err error) {
	query.Set("user.name", c.user)
	address := (&url.URL{Path: "/webhdfs/v1" + path}).EscapedPath() + "?" + query.Encode()
	var all error
	for _, server := range c.servers {
		request, failed := http.NewRequestWithContext(ctx, method, server+address, nil)
		if failed != nil {
			return nil, failed
		}
		if answer, err = c.send(request); err == nil || !isElsewhere(err) {
			return answer, err
		}
		all = errors.Join(all, err)
	}
	return nil, all
}

// send gives the answer, or as an error what a node says that did not do it.
func (c client) send(r *http.Request) (*http.Response, error) {
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < http.StatusBadRequest {
		return answer, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostWords))
	said := struct{ RemoteException *failure }{&failure{Message: string(text)}}
	if json.Unmarshal(text, &said) != nil || said.RemoteException == nil {
		said.RemoteException = &failure{Message: string(text)}
	}
	said.RemoteException.Status = answer.StatusCode
	return nil, errors.Join(said.RemoteException, err, answer.Body.Close())
}

// mostWords is how much of a refusal is read, in bytes.
const mostWords = 64 << 10

// ask calls and reads the answer's JSON into what is given, if anything.
func (c client) ask(ctx context.Context, method, path string, query url.Values, into any) error {
	answer, err := c.call(ctx, method, path, query)
	if err != nil {
		return err
	}
	if into == nil {
		return answer.Body.Close()
	}
	return errors.Join(json.NewDecoder(answer.Body).Decode(into), answer.Body.Close())
}

// status is what a name node says of a file or folder.
type status struct {
	PathSuffix       string `json:"pathSuffix"`
	Type             string `json:"type"`
	Length           int64  `json:"length"`
	ModificationTime int64  `json:"modificationTime"` // ms since 1970
}

func (s status) isFolder() bool { return s.Type == "DIRECTORY" }

// sortName is what keys below it start with.
func (s status) sortName() string {
	if s.isFolder() {
		return s.PathSuffix + "/"
	}
	return s.PathSuffix
}

func op(name string, more ...string) url.Values {
	query := url.Values{"op": {name}}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return query
}
