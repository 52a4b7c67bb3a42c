package connect_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"ajlo/job/execute/connect"
)

func TestCheckURL(t *testing.T) {
	for _, tt := range []struct{ name, url, want string }{
		{"a server", "sc://spark.example:15002", ""},
		{"a server and who asks", "sc://spark.example:15002/;user_id=ajlo", ""},
		{"a token", "sc://spark.example:15002/;token=secret", "engine: {token: env:NAME}"},
		{"TLS", "sc://spark.example:15002/;use_ssl=true", "engine: {token: env:NAME}"},
		{"TLS, switched off", "sc://spark.example:15002/;user_id=a;use_ssl=false", "engine: {token: env:NAME}"},
		{"another scheme", "http://spark.example:15002", "want sc://host:port"},
		{"no URL", "sc://%zz", "want sc://host:port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := connect.CheckURL(tt.url)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%v shows the token", err)
			}
		})
	}
}

// tlsHandshake is the first byte that a client of TLS sends (RFC 8446, 5.1); one without begins with
// the preface of HTTP/2, "PRI".
const tlsHandshake = 22

// A token goes by TLS and never in the clear; without one nothing is encrypted.
func TestTokensGoByTLS(t *testing.T) {
	for _, tt := range []struct {
		token string
		want  byte
	}{{"", 'P'}, {"secret", tlsHandshake}} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		first := make(chan byte, 1)
		go func() {
			defer close(first)
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			one := make([]byte, 1)
			if _, err := conn.Read(one); err == nil {
				first <- one[0]
			}
			if err := conn.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		server := connect.Server{URL: "sc://" + listener.Addr().String(), Token: tt.token}
		if _, err := server.Run(ctx, "SELECT 1", nil); err == nil {
			t.Errorf("token %q: a server that hangs up answers", tt.token)
		}
		cancel()
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		if got := <-first; got != tt.want {
			t.Errorf("token %q: the first byte is %d, want %d", tt.token, got, tt.want)
		}
	}
}
