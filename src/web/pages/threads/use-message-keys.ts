import type { Message } from '../../../contract/messages'
import { useKeys } from '../../shell/keys'

interface Doing {
  write(): void
  reply(message: Message): void
  edit(message: Message): void
  find(id: string): Message | undefined
}

/** Moves the focus from message to message with `j` and `k`. */
export function useMessageKeys(box: { current: HTMLElement | null }, { write, reply, edit, find }: Doing) {
  const links = () => [...box.current!.querySelectorAll<HTMLElement>('[data-message]')]
  const current = () => document.activeElement?.closest<HTMLElement>('.message[id]')
  const go = (by: number) => {
    const all = links()
    const at = all.findIndex((link) => link.closest('.message') === current())
    const next = all[at < 0 ? all.length - 1 : Math.min(all.length - 1, Math.max(0, at + by))]
    next?.focus()
  }
  const here = () => {
    const id = current()?.id
    return id === undefined ? undefined : find(id)
  }
  useKeys('In a thread', {
    j: { label: 'Next message', run: () => go(1) },
    k: { label: 'Previous message', run: () => go(-1) },
    r: {
      label: 'Reply',
      run: () => {
        const message = here()
        if (message) reply(message)
        else write()
      },
    },
    e: {
      label: 'Edit the message',
      run: () => {
        const message = here()
        if (message) edit(message)
      },
    },
  })
}
