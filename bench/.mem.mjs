import {openWorkshop} from './workshop.ts'; import {startProduct} from './start-product.ts'; import {writeFileSync} from 'node:fs'; import {setTimeout as sleep} from 'node:timers/promises';
const w=await openWorkshop({root:'/work/main',isQuick:true});
for(const [flags,env] of [['--semi-space-growth-factor=1 --heap-growing-percent=20',{}],['--semi-space-growth-factor=1 --optimize-for-size',{}],['--semi-space-growth-factor=1',{MALLOC_ARENA_MAX:'1',MALLOC_MMAP_THRESHOLD_:'65536'}],['',{MALLOC_ARENA_MAX:'1',MALLOC_MMAP_THRESHOLD_:'65536'}]]){
writeFileSync('/tmp/flagx.cjs',flags.split(' ').filter(Boolean).map(f=>`setTimeout(()=>require('v8').setFlagsFromString('${f}'),250).unref();`).join('\n'));
const p=await startProduct({...w,env:{...w.env,...env,NODE_OPTIONS:'-r /tmp/flagx.cjs'}},await w.createDataDir(w.model.url));
const out=[];for(let i=1;i<=1000;i++){await p.say('hello number '+i); if([1,450,1000].includes(i))out.push(i+': '+p.readMemoryMiB().toFixed(0))}
await sleep(12000); out.push('12 s idle: '+p.readMemoryMiB().toFixed(0)); await p.stop(); console.log(flags,JSON.stringify(env),out.join(', '));}
await w.close();
