// Original file: gsq/v1/cluster.proto

export const PartAction = {
  PART_ACTION_UNSPECIFIED: 'PART_ACTION_UNSPECIFIED',
  /**
   * Only reads the records of tracked servers.
   */
  PART_ACTION_READ: 'PART_ACTION_READ',
  /**
   * Also inserts the servers that are not tracked.
   */
  PART_ACTION_INSERT: 'PART_ACTION_INSERT',
  /**
   * Does the same as PART_ACTION_INSERT, but inserts no server. `inserted` is true for each server that
   * PART_ACTION_INSERT would insert.
   */
  PART_ACTION_CHECK: 'PART_ACTION_CHECK',
} as const;

export type PartAction =
  | 'PART_ACTION_UNSPECIFIED'
  | 0
  /**
   * Only reads the records of tracked servers.
   */
  | 'PART_ACTION_READ'
  | 1
  /**
   * Also inserts the servers that are not tracked.
   */
  | 'PART_ACTION_INSERT'
  | 2
  /**
   * Does the same as PART_ACTION_INSERT, but inserts no server. `inserted` is true for each server that
   * PART_ACTION_INSERT would insert.
   */
  | 'PART_ACTION_CHECK'
  | 3

export type PartAction__Output = typeof PartAction[keyof typeof PartAction]
