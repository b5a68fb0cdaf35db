import type { RawPlayer } from '../../prober/answers/raw-status.ts';

/** A fake server: the facts its replies are made of, which a parser must find again. */
export interface FleetServer {
  name: string;
  map: string;
  maxplayers: number;
  password: boolean;
  version: string;
  /** Scores are integers; `time` is in whole seconds. */
  players: Required<RawPlayer>[];
  /** The listening port. */
  port: number;
}

/** Answers one datagram by none, one or several. It is pure; a challenge is computed from the server. */
export type DatagramResponder = (server: FleetServer, request: Buffer) => Buffer[];

/** Answers the bytes that a connection sent since the last answer; `undefined` if they are incomplete. */
export type StreamResponder = (server: FleetServer, request: Buffer) => Buffer[] | undefined;

export type Responder =
  | { transport: 'udp'; respond: DatagramResponder }
  | { transport: 'tcp'; greeting?: Buffer; respond: StreamResponder };
