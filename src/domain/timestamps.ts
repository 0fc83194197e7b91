/** Milliseconds, as the API writes them: RFC 3339, UTC. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const timestampOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : timestamp(milliseconds)
