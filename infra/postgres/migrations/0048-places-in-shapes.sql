-- Whether a place in a mixed cell of a shape's grid is in the shape (contracts/geometry/contains-place.ts, which says
-- why): it is in a part as the cell's own point is, but for an odd number of edges that the way between them crosses.
-- Doubles tell where they are surely right, decimals elsewhere. A function, since a subquery would keep the statement
-- from running in parallel, and its price would keep the planner from scans that are better.
--
-- "cell" has pairs of numbers: longitude and latitude of vertices, chain by chain, and before each chain NaN and
-- 16 + 4 * turns (whole turns by which its longitudes are moved) + 0 in the same part as before, 1 in the next part,
-- 2 in the next part, with the cell's point in it.
create function read_model.is_in_cell(
  longitude double precision,
  turns integer,
  latitude double precision,
  point_x double precision,
  point_y double precision,
  cell double precision[],
  error double precision
) returns boolean language plpgsql immutable parallel safe strict cost 1 as $$
declare
  -- Products of smaller numbers are too small for doubles.
  tiny constant double precision := 1e-30;
  x double precision := case when abs(longitude) < tiny then 0 else longitude end + 360 * turns;
  y double precision := case when abs(latitude) < tiny then 0 else latitude end;
  exact_x numeric;
  exact_y numeric;
  is_odd boolean := false;
  moved integer;
  kind integer;
  i integer := 1;
  -- Of the vertex before, and of this one.
  ax double precision;
  ay double precision;
  a_side double precision;
  bx double precision;
  b_y double precision;
  b_side double precision;
  side double precision;
  point_side double precision;
begin
  while i < cardinality(cell) loop
    bx := cell[i];
    b_y := cell[i + 1];
    i := i + 2;
    if bx = 'NaN' then
      kind := b_y::integer % 4;
      moved := 360 * (b_y::integer / 4 - 4);
      if kind > 0 then
        if is_odd then
          return true;
        end if;
        is_odd := kind = 2;
      end if;
      a_side := null;
      continue;
    end if;
    if abs(bx) < tiny then bx := 0; end if;
    if abs(b_y) < tiny then b_y := 0; end if;
    bx := bx + moved;
    b_side := (x - point_x) * (b_y - point_y) - (y - point_y) * (bx - point_x);
    if abs(b_side) <= error then
      exact_x := longitude::text::numeric + 360 * turns;
      exact_y := latitude::text::numeric;
      b_side := sign((exact_x - point_x::text::numeric) * (cell[i - 1]::text::numeric - point_y::text::numeric)
        - (exact_y - point_y::text::numeric) * (cell[i - 2]::text::numeric + moved - point_x::text::numeric));
    end if;
    if (a_side >= 0) <> (b_side >= 0) or a_side = 0 or b_side = 0 then
      side := (bx - ax) * (y - ay) - (b_y - ay) * (x - ax);
      point_side := (bx - ax) * (point_y - ay) - (b_y - ay) * (point_x - ax);
      if least(abs(side), abs(point_side)) <= error then
        declare
          exact_ax constant numeric := cell[i - 4]::text::numeric + moved;
          exact_ay constant numeric := cell[i - 3]::text::numeric;
          exact_bx constant numeric := cell[i - 2]::text::numeric + moved;
          exact_by constant numeric := cell[i - 1]::text::numeric;
        begin
          exact_x := longitude::text::numeric + 360 * turns;
          exact_y := latitude::text::numeric;
          side := sign((exact_bx - exact_ax) * (exact_y - exact_ay)
            - (exact_by - exact_ay) * (exact_x - exact_ax));
          point_side := sign((exact_bx - exact_ax) * (point_y::text::numeric - exact_ay)
            - (exact_by - exact_ay) * (point_x::text::numeric - exact_ax));
          if side = 0 and exact_x between least(exact_ax, exact_bx) and greatest(exact_ax, exact_bx)
            and exact_y between least(exact_ay, exact_by) and greatest(exact_ay, exact_by) then
            return true;
          end if;
        end;
      end if;
      if (a_side >= 0) <> (b_side >= 0) and (side > 0) <> (point_side > 0) then
        is_odd := not is_odd;
      end if;
    end if;
    ax := bx;
    ay := b_y;
    a_side := b_side;
  end loop;
  return is_odd;
end;
$$;
