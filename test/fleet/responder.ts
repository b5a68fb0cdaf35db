import type { RawPlayer } from '../../prober/answers/raw-status.ts';

/** Status and port of a fake server. Its replies contain these values, and a parser must read the same values. */
export interface FleetServer {
  name: string;
  map: string;
  maxplayers: number;
  password: boolean;
  version: string;
  /** Players on the server. Every score is an integer. Every play time (`time`) is a whole number of seconds. */
  players: Required<RawPlayer>[];
  /** Port on which the server listens. */
  port: number;
}

/**
 * Returns the datagrams that answer a request: none, one or several. The function keeps no state between calls.
 * Therefore it computes the challenge, which a later request must repeat, from the properties of the server.
 */
export type DatagramResponder = (server: FleetServer, request: Buffer) => Buffer[];

/**
 * Returns the answer to the bytes that the server has received on a connection since its last answer. Returns undefined
 * while the request is incomplete.
 */
export type StreamResponder = (server: FleetServer, request: Buffer) => Buffer[] | undefined;

export type Responder =
  | { transport: 'udp'; respond: DatagramResponder }
  | { transport: 'tcp'; greeting?: Buffer; respond: StreamResponder };
