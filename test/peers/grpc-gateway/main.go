// A REST server made with grpc-gateway from proto/gsq.binpb. Use: grpc-gateway <listen address> <core address>.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	// The details of an error have message types of this package. Without the import, each error would become HTTP 500.
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"gsq/grpc-gateway/gsqv1"
)

// Passes the credentials to the core as metadata with the same names. By default, grpc-gateway passes only the headers
// that HTTP defines.
func metadataKey(header string) (string, bool) {
	if strings.HasPrefix(header, "X-Api-Token") {
		return strings.ToLower(header), true
	}
	return runtime.DefaultHeaderMatcher(header)
}

func main() {
	listen, core := os.Args[1], os.Args[2]
	mux := runtime.NewServeMux(runtime.WithIncomingHeaderMatcher(metadataKey))
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// An answer with 1000 servers can be larger than 4 MiB, the default limit.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64 << 20)),
	}
	ctx := context.Background()
	registrations := []func(context.Context, *runtime.ServeMux, string, []grpc.DialOption) error{
		gsqv1.RegisterGameServiceHandlerFromEndpoint,
		gsqv1.RegisterServerServiceHandlerFromEndpoint,
		gsqv1.RegisterHistoryServiceHandlerFromEndpoint,
		gsqv1.RegisterWebhookServiceHandlerFromEndpoint,
	}
	for _, register := range registrations {
		if err := register(ctx, mux, core, options); err != nil {
			log.Fatal(err)
		}
	}
	log.Fatal(http.ListenAndServe(listen, mux))
}
