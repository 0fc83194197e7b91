import { type IdPrefix, typeId } from '../domain/ids'

/** A random number generator: the same seed gives the same numbers on every machine. */
export type Random = ReturnType<typeof newRandom>

/** sfc32: small and fast, with 128 bits of state. */
export function newRandom(seed: string) {
  const digest = new Bun.CryptoHasher('sha256').update(seed).digest()
  let [a, b, c, counter] = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), 1]

  /** 32 bits. */
  const bits = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let round = 0; round < 12; round++) bits()

  /** From 0 up to 1. */
  const fraction = () => bits() / 0x1_0000_0000
  /** A whole number, both ends included. */
  const between = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1))
  const chance = (likelihood: number) => fraction() < likelihood
  const pick = <T>(from: readonly T[]): T => from[Math.floor(fraction() * from.length)]!
  /** This many different elements, or all. */
  const pickSome = <T>(from: readonly T[], count: number): T[] => {
    const chosen = new Set<T>()
    const wanted = Math.min(count, from.length)
    while (chosen.size < wanted) chosen.add(pick(from))
    return [...chosen]
  }
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  /** A TypeID of this time, as the server makes them. */
  const id = (prefix: IdPrefix, at: number): string => {
    view.setUint32(0, Math.floor(at / 0x1_0000))
    view.setUint16(4, at % 0x1_0000)
    view.setUint16(6, 0x7000 | (bits() >>> 20))
    view.setUint32(8, 0x8000_0000 | (bits() >>> 2))
    view.setUint32(12, bits())
    return typeId(prefix, bytes)
  }
  return { fraction, between, chance, pick, pickSome, id }
}

const HOUR = 3_600_000
export const DAY = 24 * HOUR
/** Content is from the two years before a time. */
export const SPAN = 730 * DAY

/** The activity in each hour of a working day, UTC: two peaks, a lunch break, little at night. */
const HOURS = [
  0, 0, 0, 0, 0, 0.05, 0.2, 0.6, 1.6, 2.4, 2.6, 2.2, 1.2, 1.9, 2.4, 2.2, 1.6, 0.9, 0.4, 0.3, 0.25, 0.15, 0, 0,
]
const WEEKEND = 0.05

/** Times in the two years before a time, in order, distributed like the activity of a growing team. */
export function workingMoments(until: number, count: number, random: Random): () => number {
  const start = until - SPAN
  let total = 0
  const loads = Array.from({ length: SPAN / HOUR }, (_, hour) => {
    const time = new Date(start + hour * HOUR)
    const isWeekend = time.getUTCDay() % 6 === 0
    const load = HOURS[time.getUTCHours()]! * (0.5 + (hour * HOUR) / SPAN) * (isWeekend ? WEEKEND : 1)
    total += load
    return load
  })
  let hour = 0
  let before = 0
  let made = 0
  return () => {
    const wanted = ((made++ + random.fraction()) / count) * total
    for (; before + loads[hour]! < wanted && hour < loads.length - 1; hour++) before += loads[hour]!
    const within = Math.min((wanted - before) / loads[hour]! || 0, 0.999_999)
    return Math.floor(start + (hour + within) * HOUR)
  }
}

/** A random later time: usually soon, sometimes after days, never after the end. */
export function later(random: Random, than: number, until: number): number {
  const wait = 60_000 + 6 * HOUR * random.fraction() ** 3 * (random.chance(0.15) ? 20 : 1)
  return Math.min(Math.floor(than + wait), until)
}
