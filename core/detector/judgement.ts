/**
 * Result of a probe without a valid reply. In names of the failure detector, `look` means a probe of a server, and
 * mostly a probe that was not answered.
 */
export interface SilentProbe {
  /** True if the server answered with a challenge, but sent no status after that. */
  challenged: boolean;
  /** True if anything other than a valid reply was received. This shows that the prober's uplink works. */
  heard: boolean;
  /** True if the server is missing in the directory that lists all servers of its game. */
  delisted: boolean;
  /** IP address that was probed, if the address of the server is a host name; else empty. */
  address: string;
}

/** Result of a probe with a valid reply. */
export interface AnsweredProbe {
  /**
   * Number of packets that the server should have answered; 0 if a server directory was queried instead of the server.
   */
  sent: number;
  lost: number;
  /** Round-trip time, ms; 0 if it was not measured. */
  ping: number;
  /** IP address that was probed, if the address of the server is a host name; else empty. */
  address: string;
}

/** Verdict of the failure detector on a server that does not answer, with the facts that led to the verdict. */
export interface Judgement {
  /**
   * `doubt`: there is not enough evidence yet. `offline`: the evidence is sufficient. `ignored`: the prober's own
   * network connection (uplink) is out, so the probe is no evidence about the server.
   */
  verdict: 'doubt' | 'offline' | 'ignored';
  /** Number of consecutive probes without a valid reply, including this probe. */
  looks: number;
  /** Number of these probes that the server answered with a challenge only. */
  challenged: number;
  /**
   * True if a server at the same host has answered since the first of these probes. A challenge counts as an answer
   * here.
   */
  hostAnswers: boolean;
  /** True if the next probe will probably decide. It should be sent as soon as possible. */
  isDecisive: boolean;
  /**
   * Key of a server in another network that should be probed immediately. If this server answers, the prober's own
   * network connection (uplink) works. Empty if no such probe is needed.
   */
  witness: string;
}

/** Judgement of a probe that is no evidence about the server. */
export const IGNORED: Judgement = {
  verdict: 'ignored',
  looks: 0,
  challenged: 0,
  hostAnswers: false,
  isDecisive: false,
  witness: '',
};

/** Consequences of a valid reply for the server's record and for other servers. */
export interface Recovery {
  /** Share of packets lost on the prober's uplink. */
  uplinkLoss: number;
  /**
   * Number of packets lost in the silent period that this reply ended, up to a maximum. 0 if there was no silent
   * period, or if the server was found offline in it.
   */
  lostBefore: number;
  /**
   * Keys of other servers at the same host that were silent together with this server. They should be probed
   * immediately.
   */
  wakes: readonly string[];
}
