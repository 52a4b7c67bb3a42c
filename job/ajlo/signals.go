package main

import (
	"os"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/signal"
)

// newSignals is who is told what a run does; nil for nobody. A secret that is missing is a mistake
// of the config's, told before anything begins.
func newSignals(c config.Config, w world) (*signal.Sender, error) {
	token, err := c.Signals.Token.Read(os.Getenv)
	if err != nil {
		return nil, &job.UsageError{Text: err.Error()}
	}
	webhook, err := c.Signals.Webhook.Read(os.Getenv)
	if err != nil {
		return nil, &job.UsageError{Text: err.Error()}
	}
	s := c.Signals
	return signal.New(signal.Places{
		Lake: s.Lake, Prometheus: s.Prometheus, OpenLineage: s.OpenLineage, Token: token, Webhook: webhook, Limit: s.Limit,
	}, version, w.log, w.clock), nil
}
