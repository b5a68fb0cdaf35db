/** A probe without a valid reply. A probe of a silent server is called a look: it is one packet. */
export interface SilentProbe {
  /** The server demanded a challenge and said no more. */
  challenged: boolean;
  /** Something other than a valid reply came back, which shows that the uplink works. */
  heard: boolean;
  /** The directory that lists all servers of the game does not list this one. */
  delisted: boolean;
  /** The IP address that was probed if the server has a host name; else empty. */
  address: string;
}

/** A probe with a valid reply. */
export interface AnsweredProbe {
  /** Packets that the server should have answered; 0 if a directory was asked instead. */
  sent: number;
  lost: number;
  /** Round trip, ms; 0 if it was not measured. */
  ping: number;
  /** The IP address that was probed if the server has a host name; else empty. */
  address: string;
}

/** The detector's verdict on a silent server, with what led to it. */
export interface Judgement {
  /** `ignored`: the prober's own uplink is out, so the probe says nothing about the server. */
  verdict: 'doubt' | 'offline' | 'ignored';
  /** Probes in a row without a valid reply, this one included. */
  looks: number;
  /** In how many of them the server demanded a challenge. */
  challenged: number;
  /** Other servers at the same host have answered meanwhile. */
  hostAnswers: boolean;
  /** The next look may decide, so it should come at once. */
  isDecisive: boolean;
  /** Key of a server to probe at once, to tell whether the silence is there or here; empty if none is needed. */
  witness: string;
}

/** The judgement of a probe that says nothing. */
export const IGNORED: Judgement = {
  verdict: 'ignored',
  looks: 0,
  challenged: 0,
  hostAnswers: false,
  isDecisive: false,
  witness: '',
};

/** What a valid reply means for the server's record and for other servers. */
export interface Recovery {
  /** Share of packets lost on the prober's uplink. */
  uplinkLoss: number;
  /** Packets lost in the silence that this reply ended; 0 if there was none, or if the server was found offline in it. */
  lostBefore: number;
  /** Keys of servers of the same host that were silent together with this one and should be probed at once. */
  wakes: readonly string[];
}
