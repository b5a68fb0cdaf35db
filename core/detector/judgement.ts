/**
 * Result of a probe without a valid reply. (In identifiers of the failure detector, `look` means a probe, usually an
 * unanswered one.)
 */
export interface SilentProbe {
  /** True if the server replied with a challenge, but not with its status. */
  challenged: boolean;
  /**
   * True if any packet arrived during the probe, although no valid reply did. Such a packet shows that the prober's
   * network connection works.
   */
  heard: boolean;
  /** True if the publisher's list of all servers of the game does not contain the server. */
  delisted: boolean;
  /** IP address that was probed, if the address of the server is a host name; else empty. */
  address: string;
}

/** Result of a probe with a valid reply. */
export interface AnsweredProbe {
  /**
   * Number of packets that the server should have answered; 0 if the data comes from the public server list of the game
   * and not from the server.
   */
  sent: number;
  lost: number;
  /** Round-trip time, ms; 0 if it was not measured. */
  ping: number;
  /** IP address that was probed, if the address of the server is a host name; else empty. */
  address: string;
}

/** Verdict of the failure detector on a server that does not answer, and the reasons for the verdict. */
export interface Judgement {
  /**
   * `doubt`: there is not enough evidence yet that the server is offline. `offline`: the evidence is sufficient.
   * `ignored`: the prober's own network connection (uplink) is down, so the probe is no evidence about the server.
   */
  verdict: 'doubt' | 'offline' | 'ignored';
  /** Number of consecutive probes of the server without a valid reply, including the probe that is judged. */
  looks: number;
  /**
   * Number of probes to which the server replied only with a challenge, counted since its last valid reply. These
   * probes are also counted in `looks`, because a challenge is not a valid reply.
   */
  challenged: number;
  /**
   * True if any server of the same host has answered since the first unanswered probe of this server. A challenge
   * counts as an answer.
   */
  hostAnswers: boolean;
  /**
   * True if the next probe will probably decide whether the server is offline. It should then be sent as soon as
   * possible.
   */
  isDecisive: boolean;
  /**
   * Key of a server in a different network that should be probed immediately. An answer shows that the uplink (the
   * prober's network connection) works. Empty if no such test is needed.
   */
  witness: string;
}

/**
 * Judgement for an unanswered probe that does not count against the server, because the prober's own network connection
 * (uplink) is down.
 */
export const IGNORED: Judgement = {
  verdict: 'ignored',
  looks: 0,
  challenged: 0,
  hostAnswers: false,
  isDecisive: false,
  witness: '',
};

/**
 * What the failure detector reports after a valid reply of a server: measured packet losses, and other servers to
 * probe.
 */
export interface Recovery {
  /** Share of packets lost on the prober's own network connection (uplink). */
  uplinkLoss: number;
  /**
   * Number of packets that were lost while the server was silent before this reply, limited to a maximum. 0 if the
   * server was not silent, or if it was already judged offline.
   */
  lostBefore: number;
  /**
   * Keys of servers that should be probed immediately. If a valid reply ends the silence of a whole host, these are all
   * other silent servers of the host. Otherwise the list is empty.
   */
  wakes: readonly string[];
}
