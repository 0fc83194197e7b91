import { BrokenFile, type ByteReader } from '../reader'

/** A box of the ISO base media format: MP4, QuickTime, HEIC and AVIF. */
export interface Box {
  type: string
  start: number
  /** The position of its content. */
  content: number
  end: number
}

/** No real file has so many boxes. A file that was made to keep the server busy would. */
const MAX_BOXES = 20_000

/** Lists the boxes between two positions. `budget` is shared by all lists of a file. */
export async function listBoxes(
  reader: ByteReader,
  from: number,
  to: number,
  budget: { boxes: number },
): Promise<Box[]> {
  const boxes: Box[] = []
  // QuickTime ends some lists with four zero bytes.
  for (let start = from; start + 8 <= to; ) {
    if (++budget.boxes > MAX_BOXES) throw new BrokenFile('It has too many parts.')
    const head = await reader.read(start, 8)
    const type = head.toString('latin1', 4, 8)
    let [size, content] = [head.readUInt32BE(0), start + 8]
    if (size === 1) {
      size = Number((await reader.read(start + 8, 8)).readBigUInt64BE())
      content += 8
    } else if (size === 0) size = to - start
    const end = start + size
    if (end < content || end > to) throw new BrokenFile('A part is longer than the file.')
    boxes.push({ type, start, content, end })
    start = end
  }
  return boxes
}

export const openBudget = () => ({ boxes: 0 })
