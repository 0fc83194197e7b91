const PAGE = 1024
/** From so many numbers on, pages cost less than a hash table, unless the numbers are far apart. */
const MANY = 1024
const ENTRY_BYTES = 40
const PAGE_BYTES = PAGE * 4

/**
 * Numbers by number. Keys that are near each other stay near each other once there are many: to go along a list of a
 * hundred thousand in a `Map` is to miss the processor's cache at every step, which takes five times as long.
 * Holds whole numbers from 0 to 2³¹ − 2.
 */
export class NumberMap {
  private few: Map<number, number> | undefined = new Map()
  /** One more than the number; 0 where there is none. */
  private readonly pages: (Int32Array | undefined)[] = []
  private pageCount = 0

  get bytes(): number {
    return this.few ? this.few.size * ENTRY_BYTES : this.pageCount * PAGE_BYTES
  }

  get(key: number): number | undefined {
    if (this.few) return this.few.get(key)
    const found = this.pages[Math.floor(key / PAGE)]?.[key % PAGE]
    return found ? found - 1 : undefined
  }

  set(key: number, value: number) {
    if (!this.few) return this.write(key, value + 1)
    this.few.set(key, value)
    if (this.few.size < MANY) return
    const all = this.few
    this.few = undefined
    for (const [each, its] of all) this.write(each, its + 1)
  }

  delete(key: number) {
    if (this.few) this.few.delete(key)
    else if (this.get(key) !== undefined) this.write(key, 0)
  }

  private write(key: number, entry: number) {
    const at = Math.floor(key / PAGE)
    let page = this.pages[at]
    if (!page) {
      page = new Int32Array(PAGE)
      this.pages[at] = page
      this.pageCount += 1
    }
    page[key % PAGE] = entry
  }
}
