/**
 * Data of the error CORE_1 with which the core ends the stream of a slow reader. The gateway then does not open the
 * stream again, because the next one would end in the same way.
 */
export const slowReader = { reader: 'slow' } as const;
