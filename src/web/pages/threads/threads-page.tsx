import { useLayoutEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { MentionPlace } from '../../composer/surface'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { Empty } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { NewThread } from './new-thread-page'
import { ThreadList } from './thread-list'
import { ThreadPage } from './thread-page'

/** The member's threads, with the open one next to them. On phones, one or the other. */
export default function ThreadsPage({ id }: { id?: string }) {
  const [, navigate] = useLocation()
  const { writeDeniedReason } = usePermissions()
  const list = useRef<HTMLDivElement>(null)
  useScrollRestoration(list, id)
  const startThread = () => navigate(paths.newThread())
  return (
    <div className="threads" data-open={id ? true : undefined}>
      <Pane className="threads-list" isMain={!id} ref={list}>
        <div className="page-head">
          {id ? (
            <h2>
              <Link href={paths.threads}>Threads</Link>
            </h2>
          ) : (
            <PageTitle title="Threads" />
          )}
          {!writeDeniedReason && <Button icon="plus" label="New thread" onClick={startThread} />}
        </div>
        <ThreadList openId={id} startThread={startThread} />
      </Pane>
      {id === undefined ? (
        <section className="threads-detail threads-none" aria-label="Open thread">
          <Empty title="No thread selected">
            Select a thread from the list{writeDeniedReason ? '.' : ', or start a new one.'}
          </Empty>
        </section>
      ) : (
        <MentionPlace value="thread">
          <main className="threads-detail" id="main">
            {id === 'new' ? <NewThread /> : <ThreadPage key={id} id={id} />}
          </main>
        </MentionPlace>
      )}
    </div>
  )
}

interface PaneProps {
  className: string
  isMain: boolean
  ref: React.Ref<HTMLDivElement>
  children: React.ReactNode
}

/** The list is the main content until a thread is open. */
const Pane = ({ className, isMain, ref, children }: PaneProps) => (
  <div className={className} ref={ref}>
    {isMain ? <main id="main">{children}</main> : <nav aria-label="Threads">{children}</nav>}
  </div>
)

/** Restores the scroll position of the list. */
function useScrollRestoration(list: { current: HTMLElement | null }, id: string | undefined) {
  const top = useRef(0)
  useLayoutEffect(() => {
    const element = list.current!
    const save = () => {
      if (element.clientHeight > 0) top.current = element.scrollTop
    }
    element.addEventListener('scroll', save, { passive: true })
    return () => element.removeEventListener('scroll', save)
  }, [list])
  useLayoutEffect(() => {
    list.current!.scrollTop = top.current
  }, [list, id])
}
