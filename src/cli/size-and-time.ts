const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Such as `12.3 MB in 4.5 s`. */
export const sizeAndTime = (bytes: number, seconds: number): string => `${size(bytes)} in ${seconds.toFixed(1)} s`

/** To the millisecond. */
export const secondsSince = (started: number): number => Math.round(performance.now() - started) / 1_000

function size(bytes: number): string {
  const unit = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  return `${(bytes / 1_000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`
}
