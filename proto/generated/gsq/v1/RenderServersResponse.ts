// Original file: gsq/v1/cluster.proto


export interface RenderServersResponse {
  /**
   * One element for each server of the request, in the same order. It is empty if the called core does not own the
   * server or does not track it. Then the caller must use FetchParts.
   */
  'servers'?: (Buffer | Uint8Array | string)[];
  /**
   * For JSON: an entity tag of 8 bytes for each element of `servers`, all in one field. It changes whenever the rendered
   * server changes.
   */
  'tags'?: (Buffer | Uint8Array | string);
}

export interface RenderServersResponse__Output {
  /**
   * One element for each server of the request, in the same order. It is empty if the called core does not own the
   * server or does not track it. Then the caller must use FetchParts.
   */
  'servers': (Buffer)[];
  /**
   * For JSON: an entity tag of 8 bytes for each element of `servers`, all in one field. It changes whenever the rendered
   * server changes.
   */
  'tags': (Buffer);
}
