/**
 * Data of the error CORE_1 with which the core ends the stream of a slow reader. If an error has this data, the gateway
 * does not open the stream again, because the next stream would end in the same way.
 */
export const slowReader = { reader: 'slow' } as const;
