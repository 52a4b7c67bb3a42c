package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/beltran/gohive/hive_metastore"
)

// mostAnswered bounds one answer: a table of ten thousand columns takes a tenth of it. What is no
// metastore may promise any length.
const mostAnswered = 16 << 20 // bytes

// call puts one question on a connection of its own, so that a metastore which is started anew in the
// meantime is no matter. It speaks Thrift over bare TCP, as metastores do that want neither Kerberos
// nor TLS.
func (h *Hive) call(ctx context.Context, ask func(context.Context, *hive_metastore.ThriftHiveMetastoreClient) error) error {
	own, cancel := context.WithTimeout(ctx, h.Limit)
	defer cancel()
	conn, err := h.dial(own)
	if err != nil {
		return fmt.Errorf("catalog %s: %w", h.URI, err)
	}
	defer conn.Close()
	hurry := context.AfterFunc(own, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // ends what waits
	defer hurry()
	settings := &thrift.TConfiguration{MaxMessageSize: mostAnswered, MaxFrameSize: mostAnswered}
	protocol := thrift.NewTBinaryProtocolConf(thrift.NewStreamTransportRW(conn), settings)
	err = ask(own, hive_metastore.NewThriftHiveMetastoreClient(thrift.NewTStandardClient(protocol, protocol)))
	return h.told(own, err)
}

func (h *Hive) dial(ctx context.Context) (net.Conn, error) {
	at, err := url.Parse(h.URI)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", at.Host)
}

// told is an error with what to look at; what a metastore itself answers stays as it is.
func (h *Hive) told(ctx context.Context, err error) error {
	var lost thrift.TTransportException
	var strange thrift.TProtocolException
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("catalog %s: no answer within %v: see whether a Hive Metastore listens there: %w", h.URI, h.Limit, err)
	case errors.As(err, &lost), errors.As(err, &strange):
		return fmt.Errorf("catalog %s: no answer of a Hive Metastore: see whether it is one, and wants neither Kerberos nor TLS: %w", h.URI, err)
	}
	return fmt.Errorf("catalog %s: %w", h.URI, err)
}
