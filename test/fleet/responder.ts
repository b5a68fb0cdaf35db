import type { RawPlayer } from '../../prober/answers/raw-status.ts';

/** A made-up server: what its replies are made of, and what has to be found in them again. */
export interface FleetServer {
  name: string;
  map: string;
  maxplayers: number;
  password: boolean;
  version: string;
  /** Scores are whole; `time` in whole seconds. */
  players: Required<RawPlayer>[];
  /** The port it listens at. */
  port: number;
}

/** What a server says to one datagram: nothing, one or several. Pure; a challenge is made of the server itself. */
export type DatagramResponder = (server: FleetServer, request: Buffer) => Buffer[];

/** What a server says to what a connection has sent since it last said something; `undefined` where that is not whole yet. */
export type StreamResponder = (server: FleetServer, request: Buffer) => Buffer[] | undefined;

export type Responder =
  | { transport: 'udp'; respond: DatagramResponder }
  | { transport: 'tcp'; greeting?: Buffer; respond: StreamResponder };
