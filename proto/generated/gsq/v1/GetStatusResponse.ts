// Original file: gsq/v1/server.proto


export interface GetStatusResponse {
  /**
   * Number of connected probers. If it is 0, no game server is probed.
   */
  'probers'?: (number);
  /**
   * Longest delay of a probe in the last ten seconds: the time from when a server was due until a prober got the probe,
   * in seconds. 0 while no prober is connected.
   */
  'scheduleLagSeconds'?: (number | string);
  /**
   * True while most game servers seem to be silent at once. The network of the probers is then likely to be broken, and
   * no server becomes offline.
   */
  'outage'?: (boolean);
  /**
   * False while the store cannot write, for example because the disk is full. In this case, no servers are inserted. If
   * the service has several cores, also false while one of them does not answer. The other fields do not contain the
   * numbers of a core that does not answer.
   */
  'storeHealthy'?: (boolean);
  /**
   * Number of servers that are probed less often than others, because their hosts limit or filter queries.
   */
  'limited'?: (number);
}

export interface GetStatusResponse__Output {
  /**
   * Number of connected probers. If it is 0, no game server is probed.
   */
  'probers': (number);
  /**
   * Longest delay of a probe in the last ten seconds: the time from when a server was due until a prober got the probe,
   * in seconds. 0 while no prober is connected.
   */
  'scheduleLagSeconds': (number);
  /**
   * True while most game servers seem to be silent at once. The network of the probers is then likely to be broken, and
   * no server becomes offline.
   */
  'outage': (boolean);
  /**
   * False while the store cannot write, for example because the disk is full. In this case, no servers are inserted. If
   * the service has several cores, also false while one of them does not answer. The other fields do not contain the
   * numbers of a core that does not answer.
   */
  'storeHealthy': (boolean);
  /**
   * Number of servers that are probed less often than others, because their hosts limit or filter queries.
   */
  'limited': (number);
}
