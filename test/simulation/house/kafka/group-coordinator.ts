import type { Appointment, Scheduler } from '../scheduler.ts';
import { protocolError } from './protocol-error.ts';

interface GroupProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export interface JoinRequest {
  readonly memberId: string;
  readonly sessionTimeout: number;
  readonly rebalanceTimeout: number;
  readonly groupProtocols: readonly GroupProtocol[];
}

export interface JoinAnswer {
  readonly generationId: number;
  readonly groupProtocol: string;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
}

export interface SyncRequest {
  readonly memberId: string;
  readonly generationId: number;
  readonly groupAssignment: readonly { readonly memberId: string; readonly memberAssignment: Buffer }[];
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Member {
  readonly id: string;
  sessionTimeout: number;
  rebalanceTimeout: number;
  protocols: readonly GroupProtocol[];
  session: Appointment | null;
  joining: Waiting<JoinAnswer> | null;
  syncing: Waiting<{ readonly memberAssignment: Buffer }> | null;
  assignment: Buffer;
}

const FIRST_DELAY_MS = 50;

/** The broker's side of one group: eager rebalances, sessions that expire, generations. */
export class GroupCoordinator {
  readonly #scheduler: Scheduler;
  readonly #members = new Map<string, Member>();
  #state: 'empty' | 'joining' | 'syncing' | 'stable' = 'empty';
  #generation = 0;
  #leader = '';
  #named = 0;
  #deadline: Appointment | null = null;
  /** the first rebalance of an empty group waits for who else may come */
  #isGathering = false;
  rebalances = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get isStable(): boolean {
    return this.#state === 'stable';
  }

  get memberCount(): number {
    return this.#members.size;
  }

  join(request: JoinRequest): Promise<JoinAnswer> {
    const member = this.#memberOf(request);
    member.sessionTimeout = request.sessionTimeout;
    member.rebalanceTimeout = request.rebalanceTimeout;
    member.protocols = request.groupProtocols;
    return new Promise((resolve, reject) => {
      member.joining = { resolve, reject };
      member.session?.cancel();
      if (this.#state !== 'joining') this.#prepare();
      this.#completeIfAllJoined();
    });
  }

  sync({ memberId, generationId, groupAssignment }: SyncRequest): Promise<{ readonly memberAssignment: Buffer }> {
    const member = this.#known(memberId, generationId);
    if (this.#state === 'joining') throw protocolError('REBALANCE_IN_PROGRESS');
    this.#touch(member);
    if (this.#state === 'stable') return Promise.resolve({ memberAssignment: member.assignment });
    return new Promise((resolve, reject) => {
      member.syncing = { resolve, reject };
      if (memberId !== this.#leader) return;
      for (const one of this.#members.values()) {
        const given = groupAssignment.find((assigned) => assigned.memberId === one.id);
        one.assignment = given?.memberAssignment ?? Buffer.alloc(0);
      }
      this.#state = 'stable';
      for (const one of this.#members.values()) {
        one.syncing?.resolve({ memberAssignment: one.assignment });
        one.syncing = null;
      }
    });
  }

  heartbeat(memberId: string, generationId: number): void {
    const member = this.#known(memberId, generationId);
    this.#touch(member);
    if (this.#state === 'joining') throw protocolError('REBALANCE_IN_PROGRESS');
  }

  leave(memberId: string): void {
    const member = this.#members.get(memberId);
    if (member === undefined) throw protocolError('UNKNOWN_MEMBER_ID');
    this.#remove(member);
  }

  #memberOf({ memberId, sessionTimeout, rebalanceTimeout, groupProtocols }: JoinRequest): Member {
    const known = this.#members.get(memberId);
    if (known !== undefined) return known;
    if (memberId !== '') throw protocolError('UNKNOWN_MEMBER_ID');
    this.#named += 1;
    const id = `member-${this.#named}`;
    const member: Member = {
      id,
      sessionTimeout,
      rebalanceTimeout,
      protocols: groupProtocols,
      session: null,
      joining: null,
      syncing: null,
      assignment: Buffer.alloc(0),
    };
    this.#members.set(id, member);
    return member;
  }

  #known(memberId: string, generationId: number): Member {
    const member = this.#members.get(memberId);
    if (member === undefined) throw protocolError('UNKNOWN_MEMBER_ID');
    if (generationId !== this.#generation) throw protocolError('ILLEGAL_GENERATION');
    return member;
  }

  #touch(member: Member): void {
    member.session?.cancel();
    member.session = this.#scheduler.after(member.sessionTimeout, () => {
      // Whoever waits for the others to join is alive.
      if (member.joining === null && this.#members.has(member.id)) this.#remove(member);
    });
  }

  #remove(member: Member): void {
    member.session?.cancel();
    member.joining?.reject(protocolError('UNKNOWN_MEMBER_ID'));
    member.syncing?.reject(protocolError('UNKNOWN_MEMBER_ID'));
    this.#members.delete(member.id);
    if (this.#members.size === 0) {
      this.#deadline?.cancel();
      this.#state = 'empty';
      return;
    }
    if (this.#state === 'joining') this.#completeIfAllJoined();
    else this.#prepare();
  }

  #prepare(): void {
    const isFirst = this.#state === 'empty';
    this.#state = 'joining';
    this.rebalances += 1;
    for (const member of this.#members.values()) {
      member.syncing?.reject(protocolError('REBALANCE_IN_PROGRESS'));
      member.syncing = null;
    }
    this.#deadline?.cancel();
    const patience = Math.max(...[...this.#members.values()].map(({ rebalanceTimeout }) => rebalanceTimeout));
    this.#deadline = this.#scheduler.after(isFirst ? FIRST_DELAY_MS : patience, () => this.#complete());
    if (isFirst) this.#isGathering = true;
  }

  #completeIfAllJoined(): void {
    if (this.#state !== 'joining' || this.#isGathering) return;
    if ([...this.#members.values()].every(({ joining }) => joining !== null)) this.#complete();
  }

  #complete(): void {
    this.#isGathering = false;
    this.#deadline?.cancel();
    for (const member of [...this.#members.values()]) if (member.joining === null) this.#drop(member);
    const [first] = this.#members.values();
    if (first === undefined) {
      this.#state = 'empty';
      return;
    }
    this.#generation += 1;
    this.#state = 'syncing';
    if (!this.#members.has(this.#leader)) this.#leader = first.id;
    for (const member of this.#members.values()) this.#answer(member);
  }

  #drop(member: Member): void {
    member.session?.cancel();
    this.#members.delete(member.id);
  }

  #answer(member: Member): void {
    const { joining } = member;
    member.joining = null;
    this.#touch(member);
    joining?.resolve({
      generationId: this.#generation,
      groupProtocol: member.protocols[0]?.name ?? '',
      leaderId: this.#leader,
      memberId: member.id,
      members:
        member.id === this.#leader
          ? [...this.#members.values()].map(({ id, protocols }) => ({
              memberId: id,
              memberMetadata: protocols[0]?.metadata ?? Buffer.alloc(0),
            }))
          : [],
    });
  }
}
