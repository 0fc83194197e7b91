import type { Message } from '../../../contract/messages'
import { useKeys } from '../../shell/keys'

interface Actions {
  write(): void
  reply(message: Message): void
  edit(message: Message): void
  find(id: string): Message | undefined
}

/** Moves the focus from message to message with `j` and `k`. */
export function useMessageKeys(box: { current: HTMLElement | null }, { write, reply, edit, find }: Actions) {
  const links = () => [...box.current!.querySelectorAll<HTMLElement>('[data-message]')]
  const current = () => document.activeElement?.closest<HTMLElement>('.message[id]')
  const moveFocus = (by: number) => {
    const all = links()
    const at = all.findIndex((link) => link.closest('.message') === current())
    const next = all[at < 0 ? all.length - 1 : Math.min(all.length - 1, Math.max(0, at + by))]
    next?.focus()
  }
  const getFocusedMessage = () => {
    const id = current()?.id
    return id === undefined ? undefined : find(id)
  }
  useKeys('In a thread', {
    j: { label: 'Next message', run: () => moveFocus(1) },
    k: { label: 'Previous message', run: () => moveFocus(-1) },
    r: {
      label: 'Reply',
      run: () => {
        const message = getFocusedMessage()
        if (message) reply(message)
        else write()
      },
    },
    '+': { label: 'Add reaction', run: () => current()?.querySelector<HTMLElement>('[data-do=react]')?.click() },
    e: {
      label: 'Edit message',
      run: () => {
        const message = getFocusedMessage()
        if (message) edit(message)
      },
    },
  })
}
