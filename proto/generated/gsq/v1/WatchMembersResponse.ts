// Original file: gsq/v1/cluster.proto

import type { ClusterMember as _gsq_v1_ClusterMember, ClusterMember__Output as _gsq_v1_ClusterMember__Output } from '../../gsq/v1/ClusterMember.ts';

export interface WatchMembersResponse {
  /**
   * All cores of the cluster whose lease has not ended, sorted by id. Empty if the core is no member of a cluster.
   */
  'members'?: (_gsq_v1_ClusterMember)[];
}

export interface WatchMembersResponse__Output {
  /**
   * All cores of the cluster whose lease has not ended, sorted by id. Empty if the core is no member of a cluster.
   */
  'members': (_gsq_v1_ClusterMember__Output)[];
}
