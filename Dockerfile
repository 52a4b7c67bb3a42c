# The image holds one static program and certificate authorities, and runs as nobody in
# particular. Time zones are inside the program.
#
#   docker build -t ajlo .
#   docker run --rm -v /etc/ajlo:/config:ro -v ajlo-state:/state ajlo run --config /config/ajlo.yaml
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /image/ajlo ./job/ajlo
# SQLite sorts in /tmp; /state is where a volume for the state goes.
RUN mkdir -p /image/tmp /image/state /image/etc/ssl/certs \
    && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
    && chmod 1777 /image/tmp \
    && chown 65532:65532 /image/state

FROM scratch
COPY --from=build /image/ /
USER 65532:65532
WORKDIR /state
HEALTHCHECK NONE
ENTRYPOINT ["/ajlo"]
