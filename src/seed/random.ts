import { type IdPrefix, typeId } from '../domain/ids'

/** A random number generator: the same seed gives the same numbers on every machine. */
export type Random = ReturnType<typeof newRandom>

/** sfc32: small and fast, with 128 bits of state. */
export function newRandom(seed: string) {
  let [a, b, c, counter] = stateOf(seed)

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
  /** A TypeID of this time, like those of the server. */
  const id = (prefix: IdPrefix, at: number): string => {
    view.setUint32(0, Math.floor(at / 0x1_0000))
    view.setUint16(4, at % 0x1_0000)
    view.setUint16(6, 0x7000 | (bits() >>> 20))
    view.setUint32(8, 0x8000_0000 | (bits() >>> 2))
    view.setUint32(12, bits())
    return typeId(prefix, bytes)
  }
  return { bits, fraction, between, chance, pick, pickSome, id }
}

function stateOf(seed: string): [number, number, number, number] {
  const digest = new Bun.CryptoHasher('sha256').update(seed).digest()
  return [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), 1]
}

/** Picks by weight, using binary search. */
export function weighted<T>(choices: readonly T[], weightOf: (choice: T, at: number) => number) {
  let total = 0
  const ends = choices.map((choice, at) => {
    total += weightOf(choice, at)
    return total
  })
  return (random: Random): T => {
    const wanted = random.fraction() * total
    let low = 0
    let high = ends.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! <= wanted) low = middle + 1
      else high = middle
    }
    return choices[low]!
  }
}
