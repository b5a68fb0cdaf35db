/**
 * A minimal grpc-js server, with which the benchmark compares gsq. The server decodes no message, and answers every
 * message with the same bytes.
 */
import { type handleBidiStreamingCall, type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { gsqV1 } from '../../proto/descriptors.ts';
import { answerQuestions } from './worker.ts';

/** Message from the benchmark to the minimal gRPC server: the bytes with which the server then answers every call. */
export interface GrpcFloor {
  response: Uint8Array;
}

let bytes = Buffer.alloc(0);

const unary: handleUnaryCall<Buffer, Buffer> = (_call, callback) => callback(null, bytes);
const stream: handleBidiStreamingCall<Buffer, Buffer> = call => {
  call.on('data', () => call.write(bytes));
  call.on('end', () => call.end());
};

const asIs = (message: Buffer): Buffer => message;
const coding = {
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
};
const { FetchServers, FetchStream } = gsqV1.ServerService.service;
const methods = {
  unary: { ...coding, path: FetchServers.path, requestStream: false, responseStream: false },
  stream: { ...coding, path: FetchStream.path, requestStream: true, responseStream: true },
};

const server = new Server();
server.addService(methods, { unary, stream });
const bound = new Promise<string>((resolve, reject) => {
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error) reject(error);
    else resolve(`127.0.0.1:${port}`);
  });
});

answerQuestions(({ response }: GrpcFloor): Promise<string> => {
  bytes = Buffer.from(response);
  return bound;
});
