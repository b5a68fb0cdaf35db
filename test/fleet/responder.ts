import type { RawPlayer } from '../../prober/answers/raw-status.ts';

/**
 * Port and status of a fake server. Its replies contain this status, and a parser must read the same status from them.
 */
export interface FleetServer {
  name: string;
  map: string;
  maxplayers: number;
  password: boolean;
  version: string;
  /** Players on the fake server. Every score is an integer. Every play time (`time`) is a whole number of seconds. */
  players: Required<RawPlayer>[];
  /** Port on which the fake server listens. */
  port: number;
}

/**
 * Returns the datagrams that answer a request, perhaps none. Some protocols need a challenge: a value that the next
 * request must repeat. The function stores nothing between calls, so it computes each challenge from the properties of
 * the server.
 */
export type DatagramResponder = (server: FleetServer, request: Buffer) => Buffer[];

/**
 * Function of a fake server that answers a request over TCP. `request`: all bytes that the server has received on the
 * connection since its last answer. Returns undefined if the request is not complete yet.
 */
export type StreamResponder = (server: FleetServer, request: Buffer) => Buffer[] | undefined;

export type Responder =
  | { transport: 'udp'; respond: DatagramResponder }
  | { transport: 'tcp'; greeting?: Buffer; respond: StreamResponder };
