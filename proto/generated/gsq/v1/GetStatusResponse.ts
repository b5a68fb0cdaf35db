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
   * True while most game servers seem to be silent at the same time. Then the network of the probers is probably broken,
   * so gsq does not change the status of any server to offline.
   */
  'outage'?: (boolean);
  /**
   * True if the store can write and all cores answer. While the store cannot write, gsq inserts no servers. While a
   * core does not answer, its servers and probers are missing in the other fields.
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
   * True while most game servers seem to be silent at the same time. Then the network of the probers is probably broken,
   * so gsq does not change the status of any server to offline.
   */
  'outage': (boolean);
  /**
   * True if the store can write and all cores answer. While the store cannot write, gsq inserts no servers. While a
   * core does not answer, its servers and probers are missing in the other fields.
   */
  'storeHealthy': (boolean);
  /**
   * Number of servers that are probed less often than others, because their hosts limit or filter queries.
   */
  'limited': (number);
}
