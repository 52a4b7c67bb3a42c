package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/cenkalti/backoff/v5"
)

// unityFault is how a Unity Catalog refuses.
type unityFault struct {
	status  int
	Code    string `json:"error_code"`
	Message string `json:"message"`
}

func (f *unityFault) Error() string {
	text := fmt.Sprintf("%d %s", f.status, http.StatusText(f.status))
	if f.Code != "" {
		text += ": " + f.Code + ": " + f.Message
	}
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return text + ": see whether the token still holds, and may read what is asked for"
	case http.StatusNotFound:
		return text + ": see whether uri is that of a workspace or a server, without /api"
	}
	return text
}

// missing reports whether there is no such table, schema or catalog; a server that is none of these
// answers 404, too.
func (f *unityFault) missing() bool {
	return f.status == http.StatusNotFound && f.Code != "" && f.Code != "ENDPOINT_NOT_FOUND"
}

// busy reports whether another try may help.
func (f *unityFault) busy() bool {
	return f.status == http.StatusTooManyRequests || f.status >= http.StatusInternalServerError
}

// get asks for what is below the interface's root, again while the server is busy.
func (u *Unity) get(ctx context.Context, path string, answer any) error {
	own, cancel := context.WithTimeout(ctx, u.Limit)
	defer cancel()
	_, err := backoff.Retry(own, func() (struct{}, error) {
		err := u.getOnce(own, path, answer)
		var fault *unityFault
		if err != nil && (!errors.As(err, &fault) || !fault.busy()) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxElapsedTime(u.Limit))
	return err
}

func (u *Unity) getOnce(ctx context.Context, path string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URI+"/api/2.1/unity-catalog/"+path, nil)
	if err != nil {
		return err
	}
	if u.Token != "" {
		request.Header.Set("Authorization", "Bearer "+u.Token)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, mostAnswered))
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		fault := &unityFault{status: reply.StatusCode}
		_ = json.Unmarshal(body, fault) // what is no fault of its own has a status all the same
		fault.Message = bare(fault.Message, u.Token)
		return fault
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("an answer that is none of a Unity Catalog's: %w", err)
	}
	return nil
}
