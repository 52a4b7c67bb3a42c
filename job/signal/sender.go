package signal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Places are where signals go; what is empty is not sent.
type Places struct {
	Lake       string // the lake's name: label lake, and namespace of its jobs
	Prometheus string // file that node exporter's textfile collector reads
	// OpenLineage is a file that events are appended to, one a line, or the URL they are posted to.
	OpenLineage string
	Token       string // for that URL, sent as a bearer's
	Webhook     string // URL that a run's summary is posted to; it is a secret
	// Limit is the most that one of them is waited for.
	Limit time.Duration
}

// Sender sends a run's signals. A nil one sends none. It is used by one goroutine.
type Sender struct {
	places  Places
	lineage lineage
	log     *slog.Logger
	now     func() time.Time
	client  *http.Client
	warned  map[string]bool // places that failed
}

// New is a sender for the places; version is the program's.
func New(p Places, version string, log *slog.Logger, now func() time.Time) *Sender {
	if p.Prometheus == "" && p.OpenLineage == "" && p.Webhook == "" {
		return nil
	}
	return &Sender{
		places: p, lineage: lineage{p.Lake, "urn:ajlo:" + url.PathEscape(version)}, log: log, now: now, warned: map[string]bool{},
		// What answers with another address gets neither the token nor the summary sent there.
		client: &http.Client{Timeout: p.Limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// The names of places in warnings.
const (
	prometheus  = "prometheus"
	openLineage = "openlineage"
	webhook     = "webhook"
)

// RunBegan tells that a run has the lease.
func (s *Sender) RunBegan(ctx context.Context, r Run) {
	if s != nil {
		s.event(ctx, s.lineage.ofRun(Start, r.Started, r))
	}
}

// StepBegan tells that a step is about to change its table.
func (s *Sender) StepBegan(ctx context.Context, r Run, step Step) {
	if s != nil {
		s.event(ctx, s.lineage.ofStep(Start, step.Started, r, step))
	}
}

// StepEnded tells what became of a step that began.
func (s *Sender) StepEnded(ctx context.Context, r Run, step Step) {
	if s == nil {
		return
	}
	kind := Complete
	if !step.done() {
		kind = Fail
	}
	s.event(ctx, s.lineage.ofStep(kind, step.Ended, r, step))
}

// RunEnded tells how a run ended, to all places, those too that failed before.
func (s *Sender) RunEnded(ctx context.Context, r Run) {
	if s == nil {
		return
	}
	kind := Complete
	switch {
	case r.Outcome == "interrupted":
		kind = Abort
	case r.ExitCode != 0:
		kind = Fail
	}
	s.send(ctx, openLineage, s.places.OpenLineage, func(ctx context.Context) error { return s.put(ctx, s.lineage.ofRun(kind, r.Ended, r)) })
	s.send(ctx, prometheus, s.places.Prometheus, func(context.Context) error {
		text, err := Metrics(s.places.Lake, r)
		if err != nil {
			return err
		}
		return writeWhole(s.places.Prometheus, text)
	})
	s.send(ctx, webhook, s.places.Webhook, func(ctx context.Context) error {
		return s.post(ctx, s.places.Webhook, "", Summary(s.places.Lake, r))
	})
}

// Summary is what a webhook gets: the run, with one sentence for people as "text", which is what
// chat programs show.
func Summary(lake string, r Run) any {
	text := fmt.Sprintf("ajlo %s: night %s ended with %s", lake, r.Night, r.Outcome)
	if applied := count(r.Steps); applied > 0 {
		text += fmt.Sprintf(", %d tables laid anew", applied)
	}
	if r.Error != "" {
		text += ": " + r.Error
	}
	return struct {
		Text string `json:"text"`
		Lake string `json:"lake"`
		Run
	}{text, lake, r}
}

func count(steps []Step) (n int) {
	for _, s := range steps {
		if s.done() && s.Changed {
			n++
		}
	}
	return n
}

// event sends an event on the way, unless the place has failed before.
func (s *Sender) event(ctx context.Context, e event) {
	if !s.warned[openLineage] {
		s.send(ctx, openLineage, s.places.OpenLineage, func(ctx context.Context) error { return s.put(ctx, e) })
	}
}

// send does it within the limit, also for a run that was told to stop, and warns the first time
// that it fails.
func (s *Sender) send(ctx context.Context, name, place string, do func(context.Context) error) {
	if place == "" {
		return
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.places.Limit)
	defer cancel()
	err := do(own)
	if err == nil || s.warned[name] {
		return
	}
	s.warned[name] = true
	s.log.Warn("a signal could not be sent; the run goes on without it", "signal", name, "err", s.bare(err))
}

// bare is what an error says without what is secret.
func (s *Sender) bare(err error) string {
	var request *url.Error // it has the whole address
	for errors.As(err, &request) {
		err = request.Err
	}
	text := err.Error()
	for _, secret := range []string{s.places.Webhook, s.places.Token} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text
}

// put sends one event to a file or by HTTP.
func (s *Sender) put(ctx context.Context, e event) error {
	if at := s.places.OpenLineage; strings.Contains(at, "://") {
		return s.post(ctx, at, s.places.Token, e)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.places.OpenLineage, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

// mostAnswer is how much of an answer is read so that a connection can be used again, in bytes.
const mostAnswer = 64 << 10

func (s *Sender) post(ctx context.Context, to, token string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(text))
	if err != nil {
		return errors.New("its address is no URL") // which the error would show
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, answer.Body, mostAnswer)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("it answered %s", answer.Status)
	}
	return nil
}

// writeWhole makes a file appear at once, so that a collector never reads half of one.
func writeWhole(name string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".ajlo-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
