/**
 * Result of a probe without a valid reply. (In identifiers of the failure detector, `look` means a probe, usually an
 * unanswered one.)
 */
export interface SilentProbe {
  /** True if the server replied with a challenge (a number that the client must repeat), but not with its status. */
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
   * Verdict on the server.
   *
   * - `doubt`: not enough evidence that the server is offline.
   * - `offline`: enough evidence.
   * - `ignored`: the prober's own network connection (uplink) is down, so the probe says nothing about the server.
   */
  verdict: 'doubt' | 'offline' | 'ignored';
  /** Number of probes in a row that got no valid reply of the server, including the probe that is judged. */
  looks: number;
  /**
   * Number of probes that got only a challenge, counted since the last valid reply of the server. The field `looks`
   * counts these probes too, because a challenge is not a valid reply.
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
   * Key of a server in another network. If that server answers a probe, the uplink (the prober's network connection)
   * works. The key is empty if the detector needs no test of the uplink.
   */
  witness: string;
}

/**
 * Judgement for an unanswered probe that does not count against the server, because the prober's own network connection
 * is down.
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
 * Result of the failure detector after a valid reply of a server: measured packet losses, and keys of other servers
 * that should be probed.
 */
export interface Recovery {
  /** Share of packets lost on the prober's own network connection. */
  uplinkLoss: number;
  /**
   * Number of packets that were lost before this reply, while the server did not answer. If more than MOST_LOST_BEFORE
   * were lost, it is MOST_LOST_BEFORE. It is 0 if the server has answered its previous probe, or was already offline.
   */
  lostBefore: number;
  /**
   * Keys of servers that should be probed immediately. If all servers of a host were silent and one of them replies,
   * the list contains the other servers of the host. In all other cases, the list is empty.
   */
  wakes: readonly string[];
}
